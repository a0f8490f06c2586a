import { isSame, type FieldValue, type Version } from './edited-fields.ts';

/** A field that others changed meanwhile: what was typed here, and what stands now. */
export type Difference = {
  key: string;
  mine: FieldValue | undefined;
  theirs: FieldValue | undefined;
  /** False until the one who typed says what to keep; what was not changed here needs no choice. */
  isSettled: boolean;
};

type Versions = {
  /** What the form was filled from. */
  base: Version;
  typed: Version;
  theirs: Version;
  /** Those of the change before this one. */
  before: readonly Difference[];
};

/**
 * Lays what was typed over what stands now: `merged` are the fields of the form that must become theirs, since they
 * were not changed here; `differences` those that others changed to something else than what was typed.
 */
export const mergeVersions = ({ base, typed, theirs, before }: Versions) => {
  const known = new Map(before.map((difference) => [difference.key, difference]));
  const keys = new Set([
    ...Object.keys(base),
    ...Object.keys(typed),
    ...Object.keys(theirs),
    ...known.keys(),
  ]);
  const differences: Difference[] = [];
  const merged: { key: string; value: FieldValue | undefined }[] = [];
  for (const key of keys) {
    const [was, mine, now] = [base[key], typed[key], theirs[key]];
    const isMine = !isSame(mine, was);
    if (!isMine && !isSame(now, was)) merged.push({ key, value: now });
    const earlier = known.get(key);
    // Where theirs was taken before, what was typed can still be had.
    const offered = earlier !== undefined && isSame(mine, earlier.theirs) ? earlier.mine : mine;
    if (isSame(offered, now) || (isSame(now, was) && earlier === undefined)) continue;
    const isChosen = earlier?.isSettled === true && isSame(now, earlier.theirs);
    differences.push({ key, mine: offered, theirs: now, isSettled: !isMine || isChosen });
  }
  return { differences, merged };
};

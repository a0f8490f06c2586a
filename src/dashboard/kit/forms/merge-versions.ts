import { isSame, type FieldValue, type Version } from './edited-fields.ts';

/** A field that others changed during the edit: the typed value and the current one. */
export type Difference = {
  key: string;
  mine: FieldValue | undefined;
  theirs: FieldValue | undefined;
  /** False until a version is chosen. A field that was not edited here needs no choice. */
  isSettled: boolean;
};

type Versions = {
  /** What the form was filled from. */
  base: Version;
  typed: Version;
  theirs: Version;
  /** The differences of the previous conflict. */
  before: readonly Difference[];
};

/**
 * Merges the edits into the current item. `merged` are the fields to update, since they were not edited here;
 * `differences` are the fields that others changed to another value.
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
    // After “theirs” was chosen, the typed value stays available.
    const offered = earlier !== undefined && isSame(mine, earlier.theirs) ? earlier.mine : mine;
    if (isSame(offered, now) || (isSame(now, was) && earlier === undefined)) continue;
    const isChosen = earlier?.isSettled === true && isSame(now, earlier.theirs);
    differences.push({ key, mine: offered, theirs: now, isSettled: !isMine || isChosen });
  }
  return { differences, merged };
};

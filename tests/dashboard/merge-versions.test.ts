import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Version } from '#dashboard/editing/edited-fields.ts';
import { mergeVersions, type Difference } from '#dashboard/editing/merge-versions.ts';

const version = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 0, max: 2 }), {
  noNullPrototype: true,
});

test('whatever others do, and however often: what was typed stands in the form or is offered', () => {
  fc.assert(
    fc.property(
      version,
      version,
      fc.array(version, { minLength: 1, maxLength: 4 }),
      (first, typed, changes) => {
        let base: Version = first;
        let form: Version = typed;
        let before: Difference[] = [];
        const mine = new Map(
          ['a', 'b', 'c'].flatMap((key) => (typed[key] === first[key] ? [] : [[key, typed[key]] as const])),
        );
        for (const theirs of changes) {
          const { differences, merged } = mergeVersions({ base, typed: form, theirs, before });
          const next: Record<string, Version[string] | undefined> = { ...form };
          for (const { key, value } of merged) next[key] = value;
          form = Object.fromEntries(
            Object.entries(next).filter(([, value]) => value !== undefined),
          ) as Version;
          for (const [key, value] of mine) {
            const offered = differences.find((difference) => difference.key === key)?.mine;
            expect([form[key], offered]).toContain(value);
          }
          // What was not changed here is theirs, so that a save undoes nothing unseen.
          for (const key of ['a', 'b', 'c']) if (!mine.has(key)) expect(form[key]).toEqual(theirs[key]);
          for (const { key, theirs: now } of differences) expect(now).toEqual(theirs[key]);
          // Everything of theirs is taken, as may be chosen.
          base = theirs;
          before = differences.map((difference) => ({ ...difference, isSettled: true }));
          form = theirs;
        }
      },
    ),
  );
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FieldValue, Version } from '#dashboard/kit/forms/edited-fields.ts';
import { mergeVersions, type Difference } from '#dashboard/kit/forms/merge-versions.ts';

const KEYS = ['a', 'b', 'c'];
const version = fc.dictionary(fc.constantFrom(...KEYS), fc.integer({ min: 0, max: 2 }), {
  noNullPrototype: true,
});

const withFields = (
  before: Version,
  fields: readonly { key: string; value: FieldValue | undefined }[],
): Version => {
  const after = new Map(Object.entries(before));
  for (const { key, value } of fields) {
    if (value === undefined) after.delete(key);
    else after.set(key, value);
  }
  return Object.fromEntries(after);
};

test('after any changes by others, every edit is in the form or offered', () => {
  fc.assert(
    fc.property(
      version,
      version,
      fc.array(fc.record({ theirs: version, takesTheirs: fc.boolean() }), { minLength: 1, maxLength: 4 }),
      (first, typed, changes) => {
        let [base, form]: [Version, Version] = [first, typed];
        let before: Difference[] = [];
        const mine = KEYS.filter((key) => typed[key] !== first[key]);
        for (const { theirs, takesTheirs } of changes) {
          const { differences, merged } = mergeVersions({ base, typed: form, theirs, before });
          form = withFields(form, merged);
          for (const key of mine) {
            const offered = differences.find((difference) => difference.key === key);
            expect([form[key], offered === undefined ? form[key] : offered.mine]).toContain(typed[key]);
          }
          // Unchanged fields have their version, so that a save undoes no change that nobody saw.
          for (const key of KEYS) if (!mine.includes(key)) expect(form[key]).toEqual(theirs[key]);
          for (const { key, theirs: now } of differences) expect(now).toEqual(theirs[key]);
          base = theirs;
          before = differences.map((difference) => ({ ...difference, isSettled: true }));
          if (takesTheirs)
            form = withFields(
              form,
              differences.map(({ key, theirs: value }) => ({ key, value })),
            );
        }
      },
    ),
  );
});

import type { FieldValues } from './schema-field.ts';

const isRecord = (value: unknown): value is FieldValues =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The merge patch (RFC 7396) that makes one object of another: what is gone is null. */
export const patchOf = (from: FieldValues, to: FieldValues): FieldValues => {
  const gone = Object.keys(from).filter((key) => !Object.hasOwn(to, key));
  const set = Object.entries(to).filter(
    ([key, value]) => JSON.stringify(from[key]) !== JSON.stringify(value),
  );
  return Object.fromEntries([
    ...gone.map((key) => [key, null] as const),
    ...set.map(([key, value]) => {
      const old = from[key];
      return [key, isRecord(old) && isRecord(value) ? patchOf(old, value) : value] as const;
    }),
  ]);
};

export type FieldValue = string | number | boolean;

/** What a form holds, field by field, by keys that are the form's own; a field that is empty is left out. */
export type Version = Readonly<Record<string, FieldValue>>;

/** How a form's values are taken apart into fields that may differ, and put together again. */
export type EditedFields<In> = {
  versionOf: (values: In) => Version;
  /** The values with one field of a version; undefined empties it. */
  put: (values: In, key: string, value: FieldValue | undefined) => In;
  labelOf: (key: string) => string;
  /** How a value is shown; not asked for one that is empty. */
  textOf: (key: string, value: FieldValue) => string;
};

export const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Leaves out what is empty. */
export const versionOfEntries = (
  entries: readonly (readonly [string, FieldValue | null | undefined])[],
): Version =>
  Object.fromEntries(
    entries.flatMap(([key, value]) =>
      value === undefined || value === null || value === '' ? [] : [[key, value] as const],
    ),
  );

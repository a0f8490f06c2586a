export type FieldValue = string | number | boolean;

/** The values of a form by field; empty fields are left out. */
export type Version = Readonly<Record<string, FieldValue>>;

/** Splits the values of a form into fields that can be compared and merged. */
export type EditedFields<In> = {
  versionOf: (values: In) => Version;
  /** The values with one field replaced; undefined clears it. */
  put: (values: In, key: string, value: FieldValue | undefined) => In;
  labelOf: (key: string) => string;
  /** The text of a value that is not empty. */
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

export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a value is an object or a list. */
export const isComposite = (value: unknown): value is JsonObject | unknown[] =>
  typeof value === 'object' && value !== null;

/** True if `object` only has these fields. */
export const hasOnly = (object: JsonObject, fields: readonly string[]): boolean =>
  Object.keys(object).every((field) => fields.includes(field));

/** Whether a text is JSON with an object. */
export const isJsonObject = (text: string): boolean => {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
};

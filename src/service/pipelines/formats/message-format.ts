/** Values of a message that are not taken, with the reason's code; `metric` where it meets one. */
export type FormatRejection = {
  readonly reason: string;
  readonly detail: string;
  readonly metric?: string;
  readonly values: number;
  /** Numbers of the rejected lines of a text, from 0. */
  readonly lines?: readonly number[];
};

export type FormatReading = {
  /** `{ device?, ts?, values }`, or what stands in a sample's place: what it holds is checked later, value by value. */
  readonly samples: readonly unknown[];
  /** What the message calls its devices, by the external ids made of that. */
  readonly deviceNames?: ReadonlyMap<string, string>;
  readonly rejections?: readonly FormatRejection[];
  /** Number of series whose value is NaN or infinity: neither received nor rejected. */
  readonly noValues?: number;
};

/** One shape of message. `read` gives undefined for a message of another shape; `nowMs` is when it came, in epoch ms. */
export type MessageFormat = {
  readonly name: string;
  read(message: unknown, nowMs: number): FormatReading | undefined;
};

export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** True where `object` has no field but these. */
export const hasOnly = (object: JsonObject, fields: readonly string[]): boolean =>
  Object.keys(object).every((field) => fields.includes(field));

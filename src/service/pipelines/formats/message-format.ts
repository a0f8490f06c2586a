/** Rejected values of a message with the reason code. `metric`: set if the reason concerns a single metric. */
export type FormatRejection = {
  readonly reason: string;
  readonly detail: string;
  readonly metric?: string;
  readonly values: number;
  /** Numbers of the rejected lines of a text, from 0. */
  readonly lines?: readonly number[];
};

export type FormatReading = {
  /** `{ device?, ts?, values }`, or anything else in place of a sample. Validated later, value by value. */
  readonly samples: readonly unknown[];
  /** Display names of the devices, by external ID. */
  readonly deviceNames?: ReadonlyMap<string, string>;
  readonly rejections?: readonly FormatRejection[];
  /** Number of series whose value is NaN or infinity: neither received nor rejected. */
  readonly noValues?: number;
};

/**
 * A message format. `read` returns undefined for messages in another format. `nowMs`: the time of receipt, in epoch ms.
 */
export type MessageFormat = {
  readonly name: string;
  read(message: unknown, nowMs: number): FormatReading | undefined;
};

export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** True if `object` only has these fields. */
export const hasOnly = (object: JsonObject, fields: readonly string[]): boolean =>
  Object.keys(object).every((field) => fields.includes(field));

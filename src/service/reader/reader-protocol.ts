import type { Refused } from '../pipelines/formats/message-format.ts';
import type { SampleReading } from '../telemetry/write/sample-reading.ts';
import type { TimeRule } from '../telemetry/write/sample-time.ts';

/** The format of a telemetry write. */
export type WriteFormat = 'json' | 'ndjson' | 'csv';

/** Values per slice: the main thread takes a few milliseconds to store them. */
export const VALUES_PER_SLICE = 1_000;

/** A body to read. */
export type ReaderInput =
  | {
      readonly kind: 'write';
      readonly bytes: Uint8Array;
      readonly format: WriteFormat;
      readonly times: TimeRule;
    }
  | {
      readonly kind: 'message';
      readonly bytes: Uint8Array;
      /** The device of a message that names none. */
      readonly device: string | undefined;
      readonly pipelineDevice: string | undefined;
      readonly times: TimeRule;
      /** When the message was received, in epoch ms. */
      readonly nowMs: number;
    };

/** A part of a write. Its last rejection may count the values of many others. */
export type WriteSlice = SampleReading;

/** A part of a message: samples, each with a device; the names of these devices; and rejections. */
export type MessageSlice = {
  /** The format of the message; null: none. */
  readonly format: string | null;
  readonly samples: readonly unknown[];
  readonly deviceNames: ReadonlyMap<string, string>;
  readonly refused: readonly Refused[];
};

/** Why a whole write is rejected. */
export type Unreadable = {
  readonly code: 'malformed-body' | 'validation-failed' | 'body-too-large';
  readonly detail: string;
  readonly pointer?: { readonly pointer: string; readonly code: string; readonly detail: string } | undefined;
};

/** Requests of the main thread: open an input, read its next slice, close it. One input at a time. */
export type ReaderRequest =
  | { readonly ask: 'open'; readonly input: ReaderInput }
  | { readonly ask: 'next' }
  | { readonly ask: 'close' };

/** The answer to `next`. */
export type ReaderAnswer =
  | { readonly slice: WriteSlice | MessageSlice }
  | { readonly end: true }
  | { readonly unreadable: Unreadable }
  | { readonly failure: string };

import type { MessageSlice } from '../pipelines/formats/message-columns.ts';
import type { MessageInput } from '../pipelines/formats/read-message.ts';
import type { Unreadable, WriteInput } from '../telemetry/write/read-telemetry-body.ts';
import type { SampleReading } from '../telemetry/write/sample-reading.ts';

/** A body to read. */
export type ReaderInput =
  | ({ readonly kind: 'write' } & WriteInput)
  | ({ readonly kind: 'message' } & MessageInput);

/** A part of a write. Its last rejection may count the samples of many others. */
export type WriteSlice = SampleReading;

/**
 * Requests of the main thread: open an input, read its next slice, close it. One input at a time. `bytesFollowing`: the
 * input has no bytes; this number of bytes follows on the standard input.
 */
export type ReaderRequest =
  | { readonly ask: 'open'; readonly input: ReaderInput; readonly bytesFollowing?: number }
  | { readonly ask: 'next' }
  | { readonly ask: 'close' };

/** The answer to `next`. */
export type ReaderAnswer =
  | { readonly slice: WriteSlice | MessageSlice; readonly isLast: boolean }
  | { readonly end: true }
  | { readonly unreadable: Unreadable }
  | { readonly failure: string };

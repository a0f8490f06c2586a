import type { WriteBatch } from '../telemetry-store.ts';

/** A WriteResult on its way back. `replaced`: positions of values, and the values that they replaced. */
export type PackedResult = {
  readonly outcome: Uint8Array;
  /** By series, the position in KINDS of its kind in the store. */
  readonly kinds: Uint8Array;
  readonly replaced?: readonly (readonly [position: number, before: number | string])[];
};

/** Characters of text in a batch. */
export const textLengthOf = ({ texts }: Pick<WriteBatch, 'texts'>): number =>
  texts.reduce((sum, text) => sum + text.length, 0);

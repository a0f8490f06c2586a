import { QueryTooLarge } from '../../platform/storage/store-errors.ts';
import type { StoredSeries, ValueColumn } from './telemetry-store.ts';

/** The most characters of text that a read returns. In memory, a character takes up to 2 bytes, in each of two threads. */
const TEXT_PER_READ = 16 * 1024 * 1024;

const lengthOf = (column: ValueColumn | undefined): number => {
  let length = 0;
  if (column === undefined || column instanceof Float64Array) return length;
  for (const value of column) if (typeof value === 'string') length += value.length;
  return length;
};

/** Counts the characters of the series of a read. */
export class TextLimit {
  #length = 0;

  get isExceeded(): boolean {
    return this.#length > TEXT_PER_READ;
  }

  add({ kind, value, first, last }: StoredSeries): void {
    if (kind === 'string') this.#length += lengthOf(value) + lengthOf(first) + lengthOf(last);
  }

  /** @throws QueryTooLarge */
  requireWithin(): void {
    if (this.isExceeded)
      throw new QueryTooLarge(
        `This query reads more text than the limit of ${TEXT_PER_READ} characters. Choose fewer devices or text metrics, a shorter range, or wider buckets (fewer points).`,
      );
  }
}

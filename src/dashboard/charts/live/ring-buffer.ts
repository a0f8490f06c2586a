import { lowerBound } from '../series/search.ts';

const FIRST_SIZE = 256;

/**
 * Rows of numbers in typed columns, ordered by the first (epoch ms), at most `capacity`: the oldest are dropped. The
 * rows `start` to `end` are contiguous and move to the front when the end is reached, so that drawing reads them
 * without a wrap and a push costs O(1) on average.
 */
export class RingBuffer {
  readonly capacity: number;
  #columns: Float64Array[];
  #start = 0;
  #end = 0;

  constructor(columnCount: number, capacity: number) {
    this.capacity = capacity;
    this.#columns = Array.from(
      { length: columnCount },
      () => new Float64Array(Math.min(FIRST_SIZE, 2 * capacity)),
    );
  }

  get start() {
    return this.#start;
  }
  get end() {
    return this.#end;
  }
  get length() {
    return this.#end - this.#start;
  }

  /** Valid between `start` and `end` until the next push. */
  column(index: number): Float64Array {
    const column = this.#columns[index];
    if (column === undefined) throw new RangeError(`There is no column ${index}.`);
    return column;
  }

  get ts(): Float64Array {
    return this.column(0);
  }

  /** Appends rows given as columns. A late row is inserted; a row with a known time replaces the old one. */
  push(...columns: readonly ArrayLike<number>[]): void {
    const count = columns[0]?.length ?? 0;
    for (let row = 0; row < count; row += 1) this.#pushRow(columns, row);
  }

  /** Removes the oldest rows. */
  drop(count: number): void {
    this.#start = Math.min(this.#end, this.#start + count);
  }

  /** Removes rows older than `ts`. */
  dropBefore(ts: number): void {
    this.#start = lowerBound(this.ts, ts, this.#start, this.#end);
  }

  #pushRow(columns: readonly ArrayLike<number>[], row: number): void {
    const ts = columns[0]![row]!;
    let place = this.#end;
    if (this.length > 0 && ts <= this.ts[this.#end - 1]!) {
      place = lowerBound(this.ts, ts, this.#start, this.#end);
      if (this.ts[place] === ts) {
        this.#write(columns, row, place);
        return;
      }
      if (this.length === this.capacity && place === this.#start) return;
    }
    if (this.length === this.capacity) this.#start += 1;
    const shift = this.#makeRoom();
    place += shift;
    if (place < this.#end) for (const column of this.#columns) column.copyWithin(place + 1, place, this.#end);
    this.#end += 1;
    this.#write(columns, row, place);
  }

  #write(columns: readonly ArrayLike<number>[], row: number, place: number): void {
    this.#columns.forEach((column, index) => {
      column[place] = columns[index]?.[row] ?? Number.NaN;
    });
  }

  /** Makes room for a row at the end. Returns by how much the rows moved. */
  #makeRoom(): number {
    const size = this.ts.length;
    if (this.#end < size) return 0;
    const shift = -this.#start;
    if (this.length <= size / 2) {
      for (const column of this.#columns) column.copyWithin(0, this.#start, this.#end);
    } else {
      this.#columns = this.#columns.map((column) => {
        const larger = new Float64Array(size * 2);
        larger.set(column.subarray(this.#start, this.#end));
        return larger;
      });
    }
    this.#end -= this.#start;
    this.#start = 0;
    return shift;
  }
}

import { growArray } from '../grow-array.ts';
import type { Cell } from '../sample-columns.ts';
import { countBefore, joinSamples, sliceSamples, type Samples } from './samples.ts';

const FIRST_CAPACITY = 4;

type Block = { ts: Float64Array; cells: Float64Array | string[]; length: number };

const growBlock = (block: Block, capacity: number): void => {
  block.ts = growArray(block.ts, capacity);
  if (block.cells instanceof Float64Array) block.cells = growArray(block.cells, capacity);
};

/** The block must have room. */
const insertAt = (block: Block, position: number, ts: number, cell: Cell): void => {
  const { length } = block;
  if (position < length) block.ts.copyWithin(position + 1, position, length);
  block.ts[position] = ts;
  if (block.cells instanceof Float64Array) {
    if (position < length) block.cells.copyWithin(position + 1, position, length);
    block.cells[position] = Number(cell);
  } else block.cells.splice(position, 0, String(cell));
  block.length += 1;
};

/** A block with memory of its own. */
const blockOf = ({ ts, cells }: Samples): Block => ({
  ts: ts.slice(),
  cells: cells instanceof Float64Array ? cells.slice() : [...cells],
  length: ts.length,
});

/** The samples of a series that are in the journal and not yet in a chunk, by time, in blocks. */
export class Head {
  readonly isText: boolean;
  readonly #samplesPerBlock: number;
  #blocks: Block[] = [];
  #length = 0;
  #lastTs = -Infinity;

  constructor(isText: boolean, samplesPerBlock: number) {
    this.isText = isText;
    this.#samplesPerBlock = samplesPerBlock;
  }

  get length(): number {
    return this.#length;
  }

  /** The greatest time; −Infinity where there is none. */
  get lastTs(): number {
    return this.#lastTs;
  }

  /** The least time; Infinity where there is none. */
  get firstTs(): number {
    return this.#blocks[0]?.ts[0] ?? Infinity;
  }

  find(ts: number): Cell | undefined {
    const block = this.#blocks[this.#blockFor(ts)];
    if (block === undefined) return undefined;
    const position = countBefore(block.ts, ts, block.length);
    return position < block.length && block.ts[position] === ts ? block.cells[position] : undefined;
  }

  /** The last sample with ts ≤ `untilMs`. */
  last(untilMs: number): { readonly ts: number; readonly cell: Cell } | undefined {
    const block = this.#blocks[this.#blockFor(untilMs)];
    if (block === undefined) return undefined;
    const position = countBefore(block.ts, untilMs + 1, block.length) - 1;
    return position < 0 ? undefined : { ts: block.ts[position]!, cell: block.cells[position]! };
  }

  /** Adds a sample, or replaces the value at its time. */
  set(ts: number, cell: Cell): void {
    if (ts > this.#lastTs) this.#append(ts, cell);
    else this.#insertOrReplace(ts, cell);
  }

  /** The samples with `fromMs` ≤ ts < `toMs`; valid until the next change. */
  samples(fromMs = -Infinity, toMs = Infinity): Samples {
    const parts: Samples[] = [];
    for (let at = this.#blockFor(fromMs); at < this.#blocks.length; at += 1) {
      const block = this.#blocks[at]!;
      const start = countBefore(block.ts, fromMs, block.length);
      const end = countBefore(block.ts, toMs, block.length);
      if (end > start) parts.push(sliceSamples(block, start, end));
      if (end < block.length) break;
    }
    return joinSamples(parts, this.isText);
  }

  /** About the first `count` samples, in whole blocks; valid until the next change. */
  first(count: number): Samples {
    const blocks = this.#blocks.slice(0, Math.ceil(count / (this.#samplesPerBlock / 2)));
    return joinSamples(
      blocks.map((block) => sliceSamples(block, 0, block.length)),
      this.isText,
    );
  }

  /** Deletes the samples with `fromMs` ≤ ts < `toMs`. */
  delete(fromMs: number, toMs: number): void {
    this.#blocks = this.#blocks.flatMap((block) => {
      const start = countBefore(block.ts, fromMs, block.length);
      const end = countBefore(block.ts, toMs, block.length);
      if (start === end) return [block];
      this.#length -= end - start;
      if (end - start === block.length) return [];
      const kept = [sliceSamples(block, 0, start), sliceSamples(block, end, block.length)];
      return [blockOf(joinSamples(kept, this.isText))];
    });
    const last = this.#blocks.at(-1);
    this.#lastTs = last === undefined ? -Infinity : last.ts[last.length - 1]!;
  }

  /** Adds a sample that is later than all others, the usual case. */
  #append(ts: number, cell: Cell): void {
    let block = this.#blocks.at(-1);
    if (block === undefined || block.length === this.#samplesPerBlock) block = this.#addBlock();
    this.#put(block, block.length, ts, cell);
    this.#lastTs = ts;
  }

  #insertOrReplace(ts: number, cell: Cell): void {
    const at = this.#blockFor(ts);
    let block = this.#blocks[at]!;
    let position = countBefore(block.ts, ts, block.length);
    if (position < block.length && block.ts[position] === ts) {
      if (block.cells instanceof Float64Array) block.cells[position] = Number(cell);
      else block.cells[position] = String(cell);
      return;
    }
    if (block.length === this.#samplesPerBlock) {
      block = this.#halve(at, ts);
      position = countBefore(block.ts, ts, block.length);
    }
    this.#put(block, position, ts, cell);
  }

  #put(block: Block, position: number, ts: number, cell: Cell): void {
    if (block.length === block.ts.length) growBlock(block, Math.min(this.#samplesPerBlock, block.length * 2));
    insertAt(block, position, ts, cell);
    this.#length += 1;
  }

  #addBlock(): Block {
    const block: Block = {
      ts: new Float64Array(FIRST_CAPACITY),
      cells: this.isText ? [] : new Float64Array(FIRST_CAPACITY),
      length: 0,
    };
    this.#blocks.push(block);
    return block;
  }

  /** Splits a full block in two and returns the one that a sample at `ts` belongs to. */
  #halve(at: number, ts: number): Block {
    const block = this.#blocks[at]!;
    const half = this.#samplesPerBlock / 2;
    const [first, second] = [
      blockOf(sliceSamples(block, 0, half)),
      blockOf(sliceSamples(block, half, block.length)),
    ];
    this.#blocks.splice(at, 1, first, second);
    return ts < second.ts[0]! ? first : second;
  }

  /** The position of the last block that begins at `ts` or before; the first block for an earlier time. */
  #blockFor(ts: number): number {
    let [low, high] = [0, this.#blocks.length];
    const last = this.#blocks.at(-1);
    if (last !== undefined && last.ts[0]! <= ts) return high - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#blocks[middle]!.ts[0]! <= ts) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }
}

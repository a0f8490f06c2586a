import { isUtf8 } from 'node:buffer';

const LINE_FEED = 10;

/** Finds lines in the bytes of a body, which has the same line feeds as its text. */
export class LineBytes {
  readonly #bytes: Uint8Array;
  #line = 0;
  /** Where `#line` begins. */
  #start = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Whether the lines from `first` to `last` are UTF-8. Each call continues after the lines of the previous one. */
  areUtf8(first: number, last: number): boolean {
    while (this.#line < first) this.#nextLine();
    const start = this.#start;
    while (this.#line <= last) this.#nextLine();
    return isUtf8(this.#bytes.subarray(start, this.#start));
  }

  #nextLine(): void {
    const end = this.#bytes.indexOf(LINE_FEED, this.#start);
    this.#start = end === -1 ? this.#bytes.length : end + 1;
    this.#line += 1;
  }
}

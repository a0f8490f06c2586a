import { growArray } from '../grow-array.ts';

/** 2^7: a byte of a varint holds 7 bits, and its highest bit says that another byte follows (LEB128). */
const VARINT_BASE = 128;
const FIRST_CAPACITY = 4_096;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Writes a coded chunk or journal row. Multi-byte numbers are little-endian. */
export class ByteWriter {
  #bytes = new Uint8Array(FIRST_CAPACITY);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Removes the content, so that one writer can write many chunks. */
  reset(): this {
    this.#length = 0;
    return this;
  }

  /** A copy of the written bytes. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** Copies the written bytes to the beginning of `target`. */
  copyTo(target: Uint8Array): void {
    target.set(this.#bytes.subarray(0, this.#length));
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length] = value;
    this.#length += 1;
  }

  /** An integer from 0 to 2^53 − 1. */
  varint(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest >= VARINT_BASE) {
      this.#bytes[this.#length] = (rest % VARINT_BASE) + VARINT_BASE;
      this.#length += 1;
      rest = Math.floor(rest / VARINT_BASE);
    }
    this.#bytes[this.#length] = rest;
    this.#length += 1;
  }

  /** An integer from −2^52 to 2^52: zigzag coding keeps small negative numbers short. */
  signedVarint(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#view.setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  /** The bytes of another array, as they are. */
  append({ buffer, byteOffset, byteLength }: ArrayBufferView): void {
    this.#reserve(byteLength);
    this.#bytes.set(new Uint8Array(buffer, byteOffset, byteLength), this.#length);
    this.#length += byteLength;
  }

  /** UTF-8 after its length in bytes. */
  text(text: string): void {
    const bytes = encoder.encode(text);
    this.varint(bytes.length);
    this.append(bytes);
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    this.#bytes = growArray(this.#bytes, Math.max(needed, this.#bytes.length * 2));
    this.#view = new DataView(this.#bytes.buffer);
  }
}

/** Reads what ByteWriter wrote, in the same order. @throws RangeError past the end */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  byte(): number {
    const value = this.#view.getUint8(this.#at);
    this.#at += 1;
    return value;
  }

  varint(): number {
    let [value, factor] = [0, 1];
    for (;;) {
      const byte = this.byte();
      if (byte < VARINT_BASE) return value + byte * factor;
      value += (byte - VARINT_BASE) * factor;
      factor *= VARINT_BASE;
    }
  }

  signedVarint(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  double(): number {
    const value = this.#view.getFloat64(this.#at, true);
    this.#at += 8;
    return value;
  }

  /** The next `length` bytes in a buffer of their own, which a typed array of any kind can be laid on. */
  take(length: number): ArrayBuffer {
    if (length < 0 || this.#at + length > this.#bytes.length)
      throw new RangeError(`${length} bytes are expected at byte ${this.#at} of ${this.#bytes.length}.`);
    const copy = new Uint8Array(length);
    copy.set(this.#bytes.subarray(this.#at, this.#at + length));
    this.#at += length;
    return copy.buffer;
  }

  text(): string {
    return decoder.decode(this.take(this.varint()));
  }
}

/** RowBinary, the format of rows without names: https://clickhouse.com/docs/interfaces/formats/RowBinary */

const FIRST_CAPACITY = 4_096;
const HIGH = 2 ** 32;
/** Bytes of a text's length, and of a number. */
const MAX_LENGTH_BYTES = 5;
const NUMBER_BYTES = 8;

/** Writes rows, a value at a time. */
export class RowWriter {
  #bytes = Buffer.allocUnsafe(FIRST_CAPACITY);
  #length = 0;

  uint8(value: number): this {
    this.#reserve(1);
    this.#length = this.#bytes.writeUInt8(value, this.#length);
    return this;
  }

  uint64(value: bigint): this {
    this.#reserve(NUMBER_BYTES);
    this.#length = this.#bytes.writeBigUInt64LE(value, this.#length);
    return this;
  }

  /** @param value a safe integer */
  int64(value: number): this {
    this.#reserve(NUMBER_BYTES);
    const high = Math.floor(value / HIGH);
    this.#length = this.#bytes.writeUInt32LE(value - high * HIGH, this.#length);
    this.#length = this.#bytes.writeInt32LE(high, this.#length);
    return this;
  }

  float64(value: number): this {
    this.#reserve(NUMBER_BYTES);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
    return this;
  }

  text(value: string): this {
    const length = Buffer.byteLength(value);
    this.#reserve(MAX_LENGTH_BYTES + length);
    let rest = length;
    for (; rest > 0x7f; rest >>>= 7)
      this.#length = this.#bytes.writeUInt8((rest & 0x7f) | 0x80, this.#length);
    this.#length = this.#bytes.writeUInt8(rest, this.#length);
    this.#length += this.#bytes.write(value, this.#length);
    return this;
  }

  nullableText(value: string | null): this {
    return value === null ? this.uint8(1) : this.uint8(0).text(value);
  }

  /** The written bytes, without a copy: the writer must not be used again. */
  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(length: number): void {
    if (this.#length + length <= this.#bytes.length) return;
    const longer = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#length + length));
    this.#bytes.copy(longer, 0, 0, this.#length);
    this.#bytes = longer;
  }
}

/** Reads rows, a value at a time. */
export class RowReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get hasMore(): boolean {
    return this.#at < this.#bytes.length;
  }

  uint8(): number {
    this.#at += 1;
    return this.#bytes[this.#at - 1]!;
  }

  uint64(): bigint {
    this.#at += NUMBER_BYTES;
    return this.#bytes.readBigUInt64LE(this.#at - NUMBER_BYTES);
  }

  /** An integer that is safe in JavaScript. */
  int64(): number {
    this.#at += NUMBER_BYTES;
    const low = this.#bytes.readUInt32LE(this.#at - NUMBER_BYTES);
    return this.#bytes.readInt32LE(this.#at - NUMBER_BYTES / 2) * HIGH + low;
  }

  float64(): number {
    this.#at += NUMBER_BYTES;
    return this.#bytes.readDoubleLE(this.#at - NUMBER_BYTES);
  }

  text(): string {
    let length = 0;
    let byte: number;
    let shift = 0;
    do {
      byte = this.uint8();
      length |= (byte & 0x7f) << shift;
      shift += 7;
    } while (byte > 0x7f);
    this.#at += length;
    return this.#bytes.toString('utf8', this.#at - length, this.#at);
  }

  nullableText(): string | null {
    return this.uint8() === 1 ? null : this.text();
  }
}

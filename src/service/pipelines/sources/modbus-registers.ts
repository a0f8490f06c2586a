import type { ModbusRegister } from '#contract/pipeline-types.ts';
import type { RegisterKind } from './modbus-client.ts';

/** The limits of one request (Modbus Application Protocol 1.1b3, 6.1 and 6.3). */
const MAX_WORDS = 125;
const MAX_BITS = 2_000;

const isBit = (kind: RegisterKind): boolean => kind === 'coil' || kind === 'discrete';

const wordsOf: Record<NonNullable<ModbusRegister['type']>, number> = {
  bool: 1,
  uint16: 1,
  int16: 1,
  uint32: 2,
  int32: 2,
  float32: 2,
  uint64: 4,
  int64: 4,
  float64: 4,
};

/** By default, a bit is a bool and a register a 16-bit number. */
const typeOf = ({ kind, type }: ModbusRegister) => type ?? (isBit(kind) ? 'bool' : 'uint16');
const widthOf = (register: ModbusRegister): number => (isBit(register.kind) ? 1 : wordsOf[typeOf(register)]);

/** The range that one request reads. */
export type Block = {
  kind: RegisterKind;
  address: number;
  count: number;
  registers: readonly ModbusRegister[];
};

export const blockOf = (register: ModbusRegister): Block => ({
  kind: register.kind,
  address: register.address,
  count: widthOf(register),
  registers: [register],
});

/** Groups adjacent registers into blocks. Registers in between are not read, because they may not exist. */
export const blocksOf = (registers: readonly ModbusRegister[]): Block[] => {
  const blocks: Block[] = [];
  for (const register of registers.toSorted(
    (a, b) => a.kind.localeCompare(b.kind) || a.address - b.address,
  )) {
    const next = blockOf(register);
    const last = blocks.at(-1);
    const count = last === undefined ? 0 : Math.max(last.count, next.address + next.count - last.address);
    const isNeighbour =
      last !== undefined &&
      last.kind === next.kind &&
      next.address <= last.address + last.count &&
      count <= (isBit(next.kind) ? MAX_BITS : MAX_WORDS);
    if (isNeighbour) blocks[blocks.length - 1] = { ...last, count, registers: [...last.registers, register] };
    else blocks.push(next);
  }
  return blocks;
};

/** The shortest decimal for this float: 20.1 rather than 20.100000381469727. */
const shortestFloat32 = (value: number): number => {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
};

/** Further digits are rounding errors of binary arithmetic. */
const SIGNIFICANT_DIGITS = 15;

/** Why a sample is rejected. */
type Unusable = { reason: string; detail: string };

const rawOf = (register: ModbusRegister, bytes: Buffer): number | bigint => {
  const words = Array.from({ length: bytes.length / 2 }, (_, i) => bytes.subarray(2 * i, 2 * i + 2));
  // Within a word, the high byte is always first.
  const ordered = Buffer.concat(register.wordOrder === 'little' ? words.toReversed() : words);
  switch (typeOf(register)) {
    case 'bool':
    case 'uint16':
      return ordered.readUInt16BE();
    case 'int16':
      return ordered.readInt16BE();
    case 'uint32':
      return ordered.readUInt32BE();
    case 'int32':
      return ordered.readInt32BE();
    case 'float32':
      return shortestFloat32(ordered.readFloatBE());
    case 'float64':
      return ordered.readDoubleBE();
    case 'uint64':
      return ordered.readBigUInt64BE();
    case 'int64':
      return ordered.readBigInt64BE();
  }
};

/** The value of a register in the response for its block. */
export const valueIn = (
  block: Block,
  register: ModbusRegister,
  answer: Buffer,
): number | boolean | Unusable => {
  const at = register.address - block.address;
  if (isBit(register.kind)) return ((answer[at >> 3] ?? 0) & (1 << (at & 7))) !== 0;
  const raw = rawOf(register, answer.subarray(2 * at, 2 * (at + widthOf(register))));
  if (typeOf(register) === 'bool') return raw !== 0;
  const number = Number(raw);
  if (typeof raw === 'bigint' && !Number.isSafeInteger(number))
    return {
      reason: 'unsafe-integer',
      detail: `${raw} is beyond 2^53, where whole numbers are not exact.`,
    };
  if (!Number.isFinite(number)) return { reason: 'not-finite', detail: `${number} is not a finite number.` };
  const { scale, offset } = register;
  return scale === 1 && offset === 0
    ? number
    : Number((number * scale + offset).toPrecision(SIGNIFICANT_DIGITS));
};

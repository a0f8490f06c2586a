import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { UnreadableBody } from './unreadable-body.ts';

/**
 * Reads the fields of a protocol buffers message one by one, without objects for them: a body may hold millions. Messages
 * within it are read by the same reader, up to their end.
 * Source: https://protobuf.dev/programming-guides/encoding/
 */
export class ProtobufFields extends BinaryReader {
  field = 0;
  type: WireType = WireType.Varint;

  /** Moves to the next field before `end`. Returns false at the end. @throws Error */
  next(end: number): boolean {
    if (this.pos >= end) {
      if (this.pos > end) throw new RangeError('a field is longer than its message');
      return false;
    }
    [this.field, this.type] = this.tag();
    return true;
  }

  /** Whether the field has a number and a type. A field of another type is an unknown field. */
  is(field: number, type: WireType): boolean {
    return this.field === field && this.type === type;
  }

  /** Moves behind the field. @throws Error, also for groups, which no current message has */
  skipField(): void {
    this.skip(this.type, this.field, 0);
  }

  /** Enters the message in a field, and returns its end. @throws Error */
  enter(): number {
    const length = this.uint32();
    const end = this.pos + length;
    if (end > this.len) throw new RangeError('a field is longer than its message');
    return end;
  }

  /** Reads a 64-bit integer as a number, which is exact up to 2^53. @throws Error */
  integer(): number {
    return Number(this.int64());
  }
}

/** Reads a whole message, so that no later reading of it fails. @throws UnreadableBody */
export const requireProtobuf = <T>(message: string, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnreadableBody || !(error instanceof Error)) throw error;
    throw new UnreadableBody(
      'malformed-body',
      `The body is not ${message} in protocol buffers: ${error.message}. Fix it, then send it again.`,
    );
  }
};

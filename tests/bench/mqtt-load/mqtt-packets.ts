/** Encoded by hand (MQTT 3.1.1, 2.2), because a client library would be slower than the measured broker. */
const MORE = 0x80;

const packet = (header: number, ...body: readonly Buffer[]): Buffer => {
  const rest = Buffer.concat(body);
  const length: number[] = [];
  let left = rest.length;
  do {
    length.push((left % MORE) + (left >= MORE ? MORE : 0));
    left = Math.floor(left / MORE);
  } while (left > 0);
  return Buffer.concat([Buffer.from([header, ...length]), rest]);
};

const text = (content: string): Buffer => {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
};

export type Login = { username: string; password: string };

export const CONNECT = 0x10;
export const PUBLISH_QOS_1 = 0x32;
export const PUBACK = 0x40;
export const SUBACK = 0x90;
const SUBSCRIBE = 0x82;

/** A CONNECT with a clean session and without keep-alive. */
export const connectPacket = (clientId: string, login?: Login): Buffer => {
  const flags = login === undefined ? 0x02 : 0xc2;
  const credentials = login === undefined ? [] : [text(login.username), text(login.password)];
  return packet(CONNECT, text('MQTT'), Buffer.from([4, flags, 0, 0]), text(clientId), ...credentials);
};

/** Subscribes to everything, with QoS 1. */
export const subscribePacket = (): Buffer =>
  packet(SUBSCRIBE, Buffer.from([0, 1]), text('#'), Buffer.from([1]));

const ANSWER_BYTES = 4;

/** A PUBLISH whose message ID, timestamp and value are overwritten for each message, so that encoding is cheap. */
export const publishTemplate = (topic: string, values: number) => {
  const more = Array.from({ length: values - 1 }, (_, index) => `,"m${index + 1}":${20 + index}.25`).join('');
  const payload = Buffer.from(`{"ts":1000000000000,"temp":21.500${more}}`);
  const whole = packet(PUBLISH_QOS_1, text(topic), Buffer.from([0, 1]), payload);
  const start = whole.length - payload.length;
  const idAt = start - 2;
  const [tsAt, valueAt] = [start + payload.indexOf('1000'), start + payload.indexOf('.500') + 1];
  const [TS_DIGITS, VALUE_DIGITS] = [13, 3];
  const writeDigits = (into: Buffer, at: number, digits: number, number: number) => {
    let rest = number;
    for (let place = at + digits - 1; place >= at; place -= 1) {
      into[place] = 0x30 + (rest % 10);
      rest = Math.floor(rest / 10);
    }
  };
  return {
    bytes: whole.length,
    write: (into: Buffer, at: number, messageId: number, ts: number): void => {
      whole.copy(into, at);
      into.writeUInt16BE(messageId, at + idAt);
      writeDigits(into, at + tsAt, TS_DIGITS, ts);
      writeDigits(into, at + valueAt, VALUE_DIGITS, ts % 1_000);
    },
  };
};

/**
 * Returns a function that accepts the data of a socket in chunks of any length, and calls back for each packet with its
 * first byte and the offsets of its variable header and its end.
 */
export const packetReader = (onPacket: (header: number, bytes: Buffer, at: number, end: number) => void) => {
  let kept: Buffer | undefined;
  return (chunk: Buffer): void => {
    const bytes = kept === undefined ? chunk : Buffer.concat([kept, chunk]);
    let at = 0;
    for (;;) {
      let length = 0;
      let scale = 1;
      let place = at + 1;
      let digit = MORE;
      while (place < bytes.length && (digit & MORE) !== 0) {
        digit = bytes[place]!;
        length += (digit & ~MORE) * scale;
        scale *= MORE;
        place += 1;
      }
      const end = place + length;
      if ((digit & MORE) !== 0 || end > bytes.length) break;
      onPacket(bytes[at]!, bytes, place, end);
      at = end;
    }
    kept = at === bytes.length ? undefined : bytes.subarray(at);
  };
};

/** Collects responses of four bytes to send them together. */
export const answers = () => {
  let waiting = Buffer.allocUnsafe(ANSWER_BYTES * 1_024);
  let length = 0;
  return {
    add: (header: number, high: number, low: number): void => {
      if (length + ANSWER_BYTES > waiting.length) waiting = Buffer.concat([waiting, waiting]);
      waiting[length] = header;
      waiting[length + 1] = 2;
      waiting[length + 2] = high;
      waiting[length + 3] = low;
      length += ANSWER_BYTES;
    },
    take: (): Buffer => {
      const taken = Buffer.from(waiting.subarray(0, length));
      length = 0;
      return taken;
    },
  };
};

import { parseJson, UnreadableJson } from '../../parse-json.ts';
import type { Message } from '../message.ts';
import { flatFormat } from './flat-format.ts';
import { isObject, type MessageFormat, type Refused } from './message-format.ts';
import { penstockFormat } from './penstock-format.ts';
import { thingsboardFormat } from './thingsboard-format.ts';
import { thingsboardGatewayFormat } from './thingsboard-gateway-format.ts';

/** Tried in this order; the first that reads the message is what it is. `flat` takes nearly any object: last. */
const formats: readonly MessageFormat[] = [
  thingsboardFormat,
  penstockFormat,
  thingsboardGatewayFormat,
  flatFormat,
];

export type MessageReading = {
  /** The format that was recognised; null: none. */
  readonly format: string | null;
  /** Each that is an object has a device. */
  readonly samples: readonly unknown[];
  readonly deviceNames: ReadonlyMap<string, string>;
  readonly refused: readonly Refused[];
};

const utf8 = new TextDecoder('utf-8', { fatal: true });

class Unreadable extends Error {
  readonly reason: string;

  constructor(reason: string, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

const textOf = (bytes: Uint8Array): string => {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Unreadable('not-text', 'The message is not UTF-8 text. Send JSON.');
  }
};

const parse = (text: string): unknown => {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof UnreadableJson)) throw error;
    const reason = error.reason === 'empty' ? 'empty-message' : error.reason;
    throw new Unreadable(reason, `The message ${error.message}.`);
  }
};

/** How many values a sample speaks of; one that can name none counts as one. */
export const valuesIn = (sample: unknown): number =>
  isObject(sample) && isObject(sample['values']) ? Math.max(1, Object.keys(sample['values']).length) : 1;

/**
 * Reads a message of any known format into samples, each with its device. What cannot be read counts as one value.
 * Never throws for a message, whatever it holds.
 */
export const readMessage = (message: Message): MessageReading => {
  const none = { format: null, samples: [], deviceNames: new Map<string, string>() };
  let json: unknown;
  try {
    json = parse(textOf(message.bytes));
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { ...none, refused: [{ reason: error.reason, detail: error.message, values: 1 }] };
  }
  for (const format of formats) {
    const reading = format.read(json);
    if (reading !== undefined) {
      const { samples, refused } = giveDevices(reading.samples, message.device);
      return {
        format: format.name,
        samples,
        deviceNames: reading.deviceNames ?? none.deviceNames,
        refused: [...(reading.refused ?? []), ...refused],
      };
    }
  }
  const detail = `The message has no form that is known: ${formats.map(({ name }) => name).join(', ')}.`;
  return { ...none, refused: [{ reason: 'unknown-format', detail, values: 1 }] };
};

const giveDevices = (
  given: readonly unknown[],
  device: string | undefined,
): { samples: unknown[]; refused: Refused[] } => {
  const samples: unknown[] = [];
  const refused: Refused[] = [];
  if (given.length === 0)
    refused.push({ reason: 'no-values', detail: 'The message holds no sample.', values: 1 });
  for (const sample of given) {
    if (!isObject(sample)) samples.push(sample);
    else if (isObject(sample['values']) && Object.keys(sample['values']).length === 0)
      refused.push({ reason: 'no-values', detail: 'The message holds no value.', values: 1 });
    else if (sample['device'] !== undefined) samples.push(sample);
    else if (device !== undefined) samples.push({ ...sample, device });
    else
      refused.push({
        reason: 'device-missing',
        detail:
          'Nothing says whose values these are: the topic, the message or the pipeline must name the device.',
        values: valuesIn(sample),
      });
  }
  return { samples, refused };
};

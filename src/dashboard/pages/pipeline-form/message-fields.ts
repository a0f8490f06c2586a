import { dateOrdersOf } from '#contract/date-order.ts';
import type { Preview } from '#contract/messages.ts';
import { isRecord } from '../../kit/schema-form/schema-field.ts';

/** A value in a message. `name`: the name of the metric. `isInList`: it cannot be the device or the time of the message. */
export type MessageField = {
  path: readonly string[];
  name: string;
  isInList: boolean;
  value: string | number | boolean;
};

/** More fields do not fit a list that people read. */
const MAX_FIELDS = 60;

const leavesOf = (value: unknown, path: readonly string[], isInList: boolean): MessageField[] => {
  if (isRecord(value) || Array.isArray(value))
    return Object.entries(value).flatMap(([key, inner]) =>
      // Backticks quote names in expressions.
      key === '' || key.includes('`')
        ? []
        : leavesOf(inner, [...path, key], isInList || Array.isArray(value)),
    );
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? [{ path, name: path.join('.'), isInList, value }]
    : [];
};

/** The fields of a message: an object, or the first object of a list. Empty for other messages. */
export const messageFields = (message: string): readonly MessageField[] => {
  try {
    const content: unknown = JSON.parse(message);
    const first: unknown = Array.isArray(content) ? content[0] : content;
    return isRecord(first) ? leavesOf(first, [], false).slice(0, MAX_FIELDS) : [];
  } catch {
    return [];
  }
};

/**
 * A number in a text, with its unit or without: `61,5 °C`, `182.4 bar`. The groups are the number, whose comma is a decimal
 * comma, and the unit.
 */
export const NUMBER_TEXT = /^\s*([-+]?\d+(?:[.,]\d+)?(?:[eE][-+]?\d+)?)\s*([^\d\s.,:;/+-]\S*)?\s*$/;

/** More digits than a number can hold, or zeros in front, are part of an identifier. */
const DIGITS_OF_IDENTIFIER = /^\s*0\d|\d{16}/;

/** A longer unit, or one with several digits or a letter after a digit, is part of an identifier. */
const UNIT = /^(?!.*(?:\d\d|\d\p{L})).{0,8}$/u;

/** Whether a text is probably a number, with its unit or without. */
export const looksLikeNumber = ({ value }: MessageField): boolean => {
  const found = typeof value === 'string' && !DIGITS_OF_IDENTIFIER.test(value) && NUMBER_TEXT.exec(value);
  return found !== false && found !== null && UNIT.test(found[2] ?? '');
};

const TIME_NAME = /time|date|stamp|epoch|(^|[._])(at|t)$|(^|[._])ts([._]?[mun]?s)?$|_at$|[a-z]At$/i;
/** ISO 8601 or RFC 2822. */
const WRITTEN_TIME = /^(?:\d{4}-\d\d-\d\d[T ]|(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4} )\d\d:\d\d/;
/** 2000-01-01 in seconds. */
const MIN_SECONDS = 946_684_800;

/** Whether a field is probably a timestamp, by its name and value. */
export const looksLikeTime = ({ name, value }: MessageField): boolean =>
  typeof value === 'string'
    ? WRITTEN_TIME.test(value) || dateOrdersOf(value).length > 0
    : typeof value === 'number' && value >= MIN_SECONDS && TIME_NAME.test(name);

const IDENTITY_NAME =
  /(^|[._-])(id|uid|uuid|serial|serialno|serialnumber|sn|mac|imei|eui|host|hostname|device)$/i;
/** What gateways call the devices behind them. A number in such a field can be a reading. */
const DEVICE_NAME = /(^|[._-])(sensor|node|meter|station|tag)$/i;
const BUS_ADDRESS = /(^|[._-])(slave|addr|address)$/i;
const IDENTITY_END = /[a-z](Id|ID|Uid|Uuid|Serial|SerialNumber|Mac|Imei|Eui|EUI)$/;

/** Whether a field probably identifies the device, by its name and value. */
export const looksLikeIdentity = ({ name, value }: MessageField): boolean =>
  (IDENTITY_NAME.test(name) ||
    IDENTITY_END.test(name) ||
    BUS_ADDRESS.test(name) ||
    (typeof value === 'string' && DEVICE_NAME.test(name))) &&
  (typeof value === 'string' ? value !== '' && value.length <= 128 : Number.isSafeInteger(value));

/** The samples that were read from a message, also those that would be rejected. */
export const allSamplesOf = ({
  samples,
  mistimed,
  unnamed,
}: Preview): readonly (Preview['unnamed'][number] & { device?: string })[] => [
  ...samples,
  ...mistimed,
  ...unnamed,
];

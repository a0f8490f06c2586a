import Papa from 'papaparse';
import { FORBIDDEN_KEYS, METRIC_NAME_LENGTH } from '#contract/sample-rules.ts';
import { readSampleTime } from '../../telemetry/write/sample-time.ts';
import { hasOnly, isJsonObject, isObject, type JsonObject } from './json-object.ts';
import { isNoValue } from './topic-value-format.ts';

/** The objects in the lines of a message; or why a line cannot be read. */
export type MessageLines =
  | { readonly format: 'ndjson' | 'csv'; readonly objects: JsonObject[] }
  | { readonly reason: 'invalid-line' | 'too-large'; readonly detail: string };

/** The largest message with lines: it is read at once. */
const MAX_CHARACTERS = 262_144;

/** The start of a message that decides whether it has lines. */
const READ_CHARACTERS = 65_536;
const tooLarge: MessageLines = {
  reason: 'too-large',
  detail: `A message with NDJSON or CSV can have at most ${MAX_CHARACTERS.toLocaleString('en')} characters. Send it in parts, or to /v1/telemetry.`,
};
const invalidLine = (detail: string): MessageLines => ({
  reason: 'invalid-line',
  detail: `${detail} Correct it, then send the message again.`,
});

const SEPARATORS = [',', ';', '\t'] as const;

/** A number in JSON, or with a sign or point in front. `007` is text: it can be an ID. */
const NUMBER = /^[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
/** In a file separated by semicolons, the comma is usually a decimal comma. */
const DECIMAL_COMMA = /^[+-]?\d+,\d+$/;
const MAX_SAFE_LENGTH = 16;

const valueOf = (cell: string): unknown => {
  const text = cell.trim();
  if (isNoValue(text)) return null;
  if (text === 'true' || text === 'false') return text === 'true';
  if (!NUMBER.test(text)) return text;
  const number = Number(text);
  // Long digits are IDs. As a number, they would change.
  const isExact = text.length < MAX_SAFE_LENGTH || !Number.isInteger(number) || Number.isSafeInteger(number);
  return Number.isFinite(number) && isExact ? number : text;
};

const isHeader = (cells: readonly string[]): boolean => {
  const names = cells.map((cell) => cell.trim());
  return (
    names.length > 1 &&
    new Set(names).size === names.length &&
    names.every(
      (name) =>
        name !== '' &&
        name.length <= METRIC_NAME_LENGTH &&
        !NUMBER.test(name) &&
        /\p{L}/u.test(name) &&
        readSampleTime(name) === undefined &&
        !FORBIDDEN_KEYS.includes(name),
    )
  );
};

/** The columns of `POST /v1/telemetry`: a row has one value. */
const LONG_COLUMNS = ['ts', 'device', 'metric', 'value'];

const rowOf = (names: readonly string[], cells: readonly string[]): JsonObject => {
  const row: JsonObject = Object.fromEntries(names.map((name, at) => [name, valueOf(cells[at] ?? '')]));
  const { metric, value, ts } = row;
  if (typeof metric !== 'string' || !hasOnly(row, LONG_COLUMNS) || value === undefined) return row;
  const device = cells[names.indexOf('device')]?.trim() ?? '';
  return {
    ...(device === '' ? {} : { device }),
    ...(ts === undefined || ts === null ? {} : { ts }),
    values: { [metric]: value },
  };
};

/**
 * CSV whose first line names its columns, and whose next line has at least one number or boolean. Without names, or with
 * decimal commas, an expression has to map it.
 */
const csvIn = (text: string): MessageLines | undefined => {
  const start = text.slice(0, READ_CHARACTERS);
  const [header = ''] = start.trimStart().split('\n', 1);
  const delimiter = SEPARATORS.find((separator) => header.includes(separator));
  if (delimiter === undefined) return undefined;
  const {
    data: [names, cells],
    errors: faults,
  } = Papa.parse<string[]>(start, { delimiter, skipEmptyLines: 'greedy', preview: 2 });
  if (names === undefined || cells === undefined || !isHeader(names)) return undefined;
  const hasValue = cells.some(
    (cell) => DECIMAL_COMMA.test(cell) || ['number', 'boolean'].includes(typeof valueOf(cell)),
  );
  if (!hasValue && faults.length === 0) return undefined;
  if (text.length > MAX_CHARACTERS) return tooLarge;
  const { data, errors } = Papa.parse<string[]>(text, { delimiter, skipEmptyLines: 'greedy' });
  const [error] = errors;
  if (error !== undefined)
    return invalidLine(
      `Row ${(error.row ?? 0) + 1} ${error.code === 'MissingQuotes' ? 'has a quotation mark that is not closed' : `is not valid CSV: ${error.message}`}.`,
    );
  const comma = data.findIndex((row) => row.some((cell) => DECIMAL_COMMA.test(cell.trim())));
  if (comma !== -1)
    return invalidLine(`Row ${comma + 1} has a number with a decimal comma. Numbers need a decimal point.`);
  const trimmed = names.map((name) => name.trim());
  const other = data.findIndex((row) => row.length !== names.length);
  if (other !== -1)
    return invalidLine(
      `Row ${other + 1} has ${data[other]?.length} columns, and the first row names ${names.length}.`,
    );
  return { format: 'csv', objects: data.slice(1).map((row) => rowOf(trimmed, row)) };
};

/** Parses a line of JSON; throws if it is not JSON that may be read. */
type ParseLine = (line: string) => unknown;

const ndjsonIn = (text: string, parse: ParseLine): MessageLines | undefined => {
  const [first = '', second = ''] = text
    .slice(0, READ_CHARACTERS)
    .split('\n', 64)
    .filter((line) => line.trim() !== '');
  if (!isJsonObject(first) || !second.trimStart().startsWith('{')) return undefined;
  if (text.length > MAX_CHARACTERS) return tooLarge;
  const objects: JsonObject[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    try {
      const object = parse(line);
      if (!isObject(object)) return invalidLine(`Line ${at + 1} is not a JSON object.`);
      objects.push(object);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return invalidLine(`Line ${at + 1} cannot be read: ${error.message}`);
    }
  }
  return { format: 'ndjson', objects };
};

/**
 * The lines of a message that is not JSON: NDJSON, or CSV with a header. Undefined: it is neither. The objects are read
 * like a list of them in JSON.
 * Sources: https://github.com/ndjson/ndjson-spec, https://www.rfc-editor.org/rfc/rfc4180
 */
export const linesIn = (text: string, parse: ParseLine): MessageLines | undefined =>
  text.trimStart().startsWith('{') ? ndjsonIn(text, parse) : csvIn(text);

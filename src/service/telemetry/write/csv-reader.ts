import Papa from 'papaparse';
import type { Value } from '#contract/telemetry.ts';
import type { SampleParser } from './read-samples.ts';
import { UnreadableBody } from './unreadable-body.ts';

const COLUMNS = ['ts', 'device', 'metric', 'value'];
const HEADER_DETAIL = `The first row of the CSV must be ${COLUMNS.join(',')}.`;
/** The number and order of the columns of an export differ from those of a write. */
const EXPORT_DETAIL =
  'To write an export of raw samples, remove its column device, and rename time to ts and externalId to device.';

/** A cell is a number if it matches the grammar of RFC 8259. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Matches trimmed cells that programs write without a value. As text, the first one would make its metric one of text. */
const NO_VALUE = /^(?:[+-]?(?:nan|inf(?:inity)?)|null)?$/i;
const NO_VALUE_DETAIL =
  'Empty cells, NaN, Infinity and null are not values. Send a finite number, true, false or text, or leave out the row.';

/** The value of a cell, or undefined without one. */
const valueOfCell = (cell: string): Value | undefined => {
  if (JSON_NUMBER.test(cell)) return Number(cell);
  if (cell === 'true' || cell === 'false') return cell === 'true';
  return NO_VALUE.test(cell.trim()) ? undefined : cell;
};

const ROWS_AT_ONCE = 2_000;
const CSV = { delimiter: ',' } as const;
/** By the codes of Papa Parse. */
const QUOTE_FAULTS: Readonly<Record<string, string>> = {
  MissingQuotes: 'A cell that begins with a quote has no closing quote.',
  InvalidQuotes: 'A cell has text after its closing quote. Double the quotes within a cell.',
};

const isBlank = (row: readonly string[]): boolean => row.length === 1 && row[0] === '';

const countLineBreaks = (text: string): number =>
  text.includes('\n') || text.includes('\r') ? text.split(/\r\n|[\r\n]/).length - 1 : 0;

/** Number of lines of a row: cells in quotes may contain line breaks. */
const countLines = (row: readonly string[]): number =>
  row.reduce((sum, cell) => sum + countLineBreaks(cell), 1);

/**
 * Validates a CSV and returns the offsets at which to split it: parsed as a whole it would take too much memory.
 * `headerLines`: number of lines up to the end of the header.
 * @throws UnreadableBody
 */
const checkCsv = (body: string): { headerLines: number; headerEnd: number; ends: number[] } => {
  const ends: number[] = [];
  let [rows, lines, headerLines, headerEnd] = [0, 0, 0, 0];
  let fault: string | undefined;
  Papa.parse<string[]>(body, {
    ...CSV,
    step: ({ data, errors: [error], meta }, parser) => {
      if (error !== undefined)
        fault = `Line ${lines + 1} of the CSV: ${QUOTE_FAULTS[error.code] ?? error.message} Nothing was stored.`;
      lines += countLines(data);
      if (fault === undefined && rows === 0) {
        if (isBlank(data)) return;
        if (data.join(',') !== COLUMNS.join(','))
          fault = data.includes('externalId') ? `${HEADER_DETAIL} ${EXPORT_DETAIL}` : HEADER_DETAIL;
        [headerLines, headerEnd] = [lines, meta.cursor];
      } else if (rows % ROWS_AT_ONCE === 0) ends.push(meta.cursor);
      rows += 1;
      if (fault !== undefined) parser.abort();
    },
  });
  if (rows === 0) fault = HEADER_DETAIL;
  if (fault !== undefined) throw new UnreadableBody('malformed-body', fault);
  return { headerLines, headerEnd, ends: [...ends, body.length] };
};

/** The rows of a part that ends between two rows. */
const rowsOf = (part: string): string[][] => {
  const { data } = Papa.parse<string[]>(part, CSV);
  // The line break at the end of a part begins no row.
  const last = data.at(-1);
  if (last !== undefined && isBlank(last)) data.pop();
  return data;
};

/**
 * Adds rows of `ts,device,metric,value` below that header (RFC 4180) to the current reader. Yields after each of them. The
 * index of a row is the number of its first line, from 0. The service sets an empty ts.
 * @throws UnreadableBody before it adds anything
 */
export const addCsvRows = function* (body: string, reader: () => SampleParser): Generator<void> {
  const { headerLines, headerEnd, ends } = checkCsv(body);
  let line = headerLines;
  let start = headerEnd;
  for (const end of ends) {
    const rows = rowsOf(body.slice(start, end));
    start = end;
    for (const row of rows) {
      const index = line;
      line += countLines(row);
      if (isBlank(row)) continue;
      addRow(index, row, reader());
      yield;
    }
  }
};

const addRow = (index: number, row: readonly string[], reader: SampleParser): void => {
  const [ts, device, metric, cell, ...rest] = row;
  if (
    ts === undefined ||
    device === undefined ||
    metric === undefined ||
    cell === undefined ||
    rest.length > 0
  ) {
    const detail = `The row must have ${COLUMNS.length} cells: ${COLUMNS.join(',')}.`;
    return reader.reject(index, [], 'invalid-sample', detail);
  }
  const value = valueOfCell(cell);
  if (value === undefined) reader.reject(index, ['values', metric], 'invalid-value', NO_VALUE_DETAIL);
  else reader.addRow(index, device, ts, metric, value);
};

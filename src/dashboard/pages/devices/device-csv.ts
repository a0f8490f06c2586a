import Papa from 'papaparse';
import type { Device } from '#contract/devices.ts';
import { formatCount, plural } from '../../ui/format/format-number.ts';
import { writeCsv } from '../../ui/format/write-csv.ts';

/** A CSV file: the header and the rows below it. `lines`: the line of the file in which each row begins. */
export type CsvTable = {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly lines: readonly number[];
  /** Between the cells of a row. */
  readonly delimiter: string;
};

/** What a column is imported as; null: not at all. */
export type ColumnTarget = DeviceField | `tag:${string}` | null;
const deviceFields = ['externalId', 'name', 'type', 'description', 'notes', 'expectedInterval'] as const;
type DeviceField = (typeof deviceFields)[number];

/** An item of `POST /v1/devices/batch`. Its values are checked by the service. */
export type ImportItem = Record<string, unknown> & { externalId: string };

export const fieldLabels: Record<DeviceField, string> = {
  externalId: 'External ID',
  name: 'Name',
  type: 'Type',
  description: 'Description',
  notes: 'Notes',
  expectedInterval: 'Expected interval (s)',
};

/** The name of a field by its JSON pointer: `/tags/site` is the tag “site”. */
export const fieldName = (pointer: string): string => {
  const [, field = '', tag] = pointer.split('/');
  if (field === 'tags') return tag === undefined ? 'Tags' : `Tag “${tag}”`;
  return field in fieldLabels ? fieldLabels[field as DeviceField] : field;
};

/** Usual headers of each field, without spaces and punctuation. */
const headerWords: Record<DeviceField, readonly string[]> = {
  externalId: ['externalid', 'id', 'deviceid', 'deveui', 'serial', 'serialnumber'],
  name: ['name', 'devicename', 'label'],
  type: ['type', 'devicetype', 'model'],
  description: ['description', 'comment'],
  notes: ['notes', 'note'],
  expectedInterval: ['expectedinterval', 'interval', 'expectedintervals', 'intervals'],
};

const TAG_HEADER = /^tags?[:._ ](.+)$/iu;

/** The tag that a column with this header can become. */
export const tagTarget = (header: string): `tag:${string}` =>
  `tag:${(TAG_HEADER.exec(header)?.[1] ?? header)
    .trim()
    .replaceAll(/[^\w.-]+/gu, '-')
    .slice(0, 64)}`;

const LINE_END = /\r\n|\r|\n/gu;

/** `index`: where the cell with the quotation mark begins. The cell can end many lines later. */
const describeQuotes = (content: string, { code, index = 0 }: Papa.ParseError): string => {
  const line = content.slice(0, index).split(LINE_END).length;
  const problem =
    code === 'MissingQuotes'
      ? `A quotation mark (") in line ${line} is not closed`
      : `Text follows a closing quotation mark (") in line ${line}`;
  return `${problem}. Put the whole cell in quotation marks and double those within it ("3"" pipe"), then choose the file again. Nothing was imported.`;
};

/** The text of a file in UTF-8. @throws Error in words for the user, also for UTF-16, which has zero bytes */
export const decodeCsv = (bytes: Uint8Array): string => {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  if (!text.includes('\uFFFD') && !text.includes('\0')) return text;
  // Encoded again, the text differs from the file where the decoder replaced bytes, but not where the file contains U+FFFD.
  const encoded = new TextEncoder().encode(text);
  const index = bytes.findIndex((byte, i) => byte !== encoded[i] || byte === 0);
  if (index === -1 && bytes.length === encoded.length) return text;
  const end = index === -1 ? bytes.length : index;
  const line = new TextDecoder().decode(bytes.subarray(0, end)).split(LINE_END).length;
  throw new Error(
    `Line ${formatCount(line)} is not UTF-8. Save the file as UTF-8 (in Excel as “CSV UTF-8”), then choose it again. Nothing was imported.`,
  );
};

/** @throws Error in words for the user */
export const readCsv = (text: string): CsvTable => {
  const content = text.replace(/^\uFEFF/u, '');
  const { data, errors, meta } = Papa.parse<string[]>(content);
  const problem = errors.find(({ type }) => type === 'Quotes');
  if (problem !== undefined) throw new Error(describeQuotes(content, problem));
  const numbered: { cells: string[]; line: number }[] = [];
  let line = 1;
  for (const cells of data) {
    if (cells.some((cell) => cell.trim() !== '')) numbered.push({ cells, line });
    line += 1 + (cells.join('').match(LINE_END)?.length ?? 0);
  }
  const [header, ...rows] = numbered;
  if (header === undefined || rows.length === 0)
    throw new Error('The file needs a line with column names and at least one line below it.');
  return {
    header: header.cells.map((name) => name.trim()),
    rows: rows.map(({ cells }) => cells),
    lines: rows.map((row) => row.line),
    delimiter: meta.delimiter,
  };
};

const delimiterNames: Readonly<Record<string, string>> = { ',': 'comma', ';': 'semicolon', '\t': 'tab' };

/**
 * Why a row cannot be imported. With more cells than the header, a value was split, and the cells after it are in the wrong
 * columns. The empty cells at the end of a row may be left out.
 */
export const rowProblem = (
  { header, delimiter }: CsvTable,
  { length }: readonly string[],
): string | undefined =>
  length > header.length
    ? `This row has ${plural(length, 'cell')}, but the header has ${formatCount(header.length)}. Put values that contain a ${delimiterNames[delimiter] ?? delimiter} in quotation marks.`
    : undefined;

/** The fields that the headers suggest, each at most once. Columns with other headers are left out. */
export const guessTargets = (header: readonly string[]): ColumnTarget[] => {
  const used = new Set<ColumnTarget>();
  return header.map((name) => {
    const word = name.toLowerCase().replaceAll(/[^a-z0-9]/gu, '');
    const field = deviceFields.find((each) => headerWords[each].includes(word));
    const target = field ?? (TAG_HEADER.test(name) ? tagTarget(name) : null);
    if (target === null || used.has(target)) return null;
    used.add(target);
    return target;
  });
};

/** Columns of an export that an import cannot set. */
const exportedOnly = ['state', 'lastSeenAt'];
/** The first columns of the file of rejected rows. */
export const rejectionColumns = ['line', 'problem'];

/** The columns with a name or a value that are not imported, by their position. */
export const columnsLeftOut = ({ header, rows }: CsvTable, targets: readonly ColumnTarget[]): number[] => {
  const isExport = exportedOnly.every((name) => header.includes(name));
  const rejected = rejectionColumns.every((name, column) => header[column] === name)
    ? rejectionColumns.length
    : 0;
  return [...header.keys()].filter(
    (column) =>
      (targets[column] ?? null) === null &&
      column >= rejected &&
      !(isExport && exportedOnly.includes(header[column] ?? '')) &&
      (header[column] !== '' || rows.some((row) => (row[column] ?? '').trim() !== '')),
  );
};

/** The targets with the given columns as tags. A column without a name, or with the tag of another one, stays as it is. */
export const asTags = (
  header: readonly string[],
  targets: readonly ColumnTarget[],
  columns: readonly number[],
): ColumnTarget[] => {
  const changed = [...targets];
  for (const column of columns) {
    const name = header[column] ?? '';
    if (name !== '' && !changed.includes(tagTarget(name))) changed[column] = tagTarget(name);
  }
  return changed;
};

/** Exports protect cells that a spreadsheet would run as a formula. */
const unescapeFormula = (cell: string): string => (/^'[=+\-@\t\r]/u.test(cell) ? cell.slice(1) : cell);

/** The text that is imported from a cell. */
export const cellValue = (cell = ''): string => unescapeFormula(cell.trim()).replaceAll('\r\n', '\n');

/** A row as the item of a batch. Empty cells are left out, so that they change nothing. */
export const itemOf = (row: readonly string[], targets: readonly ColumnTarget[]): ImportItem => {
  const item: ImportItem = { externalId: '' };
  const tags: Record<string, string> = {};
  for (const [i, target] of targets.entries()) {
    const cell = cellValue(row[i]);
    if (target === null || cell === '') continue;
    if (target.startsWith('tag:')) tags[target.slice('tag:'.length)] = cell;
    // Text that is not a number is sent unchanged, and the service reports the error.
    else if (target === 'expectedInterval') item[target] = Number.isNaN(Number(cell)) ? cell : Number(cell);
    else item[target] = cell;
  }
  return Object.keys(tags).length > 0 ? { ...item, tags } : item;
};

/** Devices as CSV, with the columns that the import reads. */
export const devicesCsv = (devices: readonly Device[]): string => {
  const tags = [...new Set(devices.flatMap((device) => Object.keys(device.tags)))].toSorted();
  const header = [...deviceFields, 'state', 'lastSeenAt', ...tags.map((key) => `tag:${key}`)];
  return writeCsv(
    header,
    devices.map((device) => [
      ...deviceFields.map((field) => device[field] ?? ''),
      device.state,
      device.lastSeenAt ?? '',
      ...tags.map((key) => device.tags[key] ?? ''),
    ]),
  );
};

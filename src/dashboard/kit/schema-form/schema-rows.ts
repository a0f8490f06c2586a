import { choiceLabel, isRecord, valueText, type FieldValues, type SchemaField } from './schema-field.ts';

/** A row being edited. It has an ID, since rows move. Cells are text as typed, by column. */
export type Row = { id: number; cells: Readonly<Record<string, string>> };
type RowsField = Pick<SchemaField, 'columns' | 'isRecord'>;

let nextId = 0;
export const newRow = (cells: Row['cells'] = {}): Row => ({ id: nextId++, cells });
export const isEmptyRow = ({ cells }: Row): boolean => Object.values(cells).every((text) => text === '');

const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

/** The choice of a column whose value or label is this text, in any case. */
const choiceIn = ({ choices }: SchemaField, text: string): unknown => {
  const isText = (each: string) => each.toLowerCase() === text.toLowerCase();
  return choices.find((choice) => isText(valueText(choice)) || isText(choiceLabel(choice)));
};

/** The text of a cell, as its control shows it. */
const cellText = (column: SchemaField, value: unknown): string => {
  const text = valueText(value);
  return column.kind === 'choice' ? valueText(choiceIn(column, text.trim()) ?? text) : text;
};

const rowOf = ({ columns }: RowsField, value: unknown): Row | undefined => {
  if (!isRecord(value)) return undefined;
  const cells = Object.entries(value).map(([name, cell]) => {
    const column = columns.find((each) => each.name === name);
    return column === undefined || !isScalar(cell) ? undefined : ([name, cellText(column, cell)] as const);
  });
  return cells.every((cell) => cell !== undefined) ? newRow(Object.fromEntries(cells)) : undefined;
};

/** The rows of a JSON text; undefined for a text that rows cannot show. */
export const rowsOfText = (field: RowsField, text: string): Row[] | undefined => {
  if (text.trim() === '') return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (field.isRecord && isRecord(value)) {
    const entries = Object.entries(value);
    if (!entries.every(([, cell]) => typeof cell === 'string')) return undefined;
    return entries.map(([name, cell]) => newRow({ name, value: String(cell) }));
  }
  if (field.isRecord || !Array.isArray(value)) return undefined;
  const rows = value.map((each) => rowOf(field, each));
  return rows.every((row) => row !== undefined) ? rows : undefined;
};

/** The value of a cell; undefined if it is empty or equals the default. */
const cellValue = (column: SchemaField, text: string): unknown => {
  const typed = text.trim();
  if (typed === '') return column.isRequired && column.kind === 'text' ? '' : undefined;
  if (column.kind === 'text') return typed;
  const value =
    column.kind === 'choice' ? (choiceIn(column, typed) ?? typed) : Number(typed.replace(',', '.'));
  if (value === column.default) return undefined;
  // The schema rejects text that is not a number or a choice.
  return Number.isNaN(value) ? typed : value;
};

/** The JSON text of rows; empty if there are none. */
export const textOfRows = ({ columns, isRecord }: RowsField, rows: readonly Row[]): string => {
  const kept = isRecord ? rows.filter((row) => !isEmptyRow(row)) : rows;
  if (kept.length === 0) return '';
  const cellsOf = ({ cells }: Row): FieldValues =>
    Object.fromEntries(
      columns.flatMap((column) => {
        const value = cellValue(column, cells[column.name] ?? '');
        return value === undefined ? [] : [[column.name, value]];
      }),
    );
  const value = isRecord
    ? Object.fromEntries(kept.map(({ cells }) => [cells['name']?.trim() ?? '', cells['value'] ?? '']))
    : kept.map(cellsOf);
  return JSON.stringify(value, null, 2);
};

const HEADER_LINE = /^([^\s:]+):\s*(.*)$/;

/** The rows of a pasted text: JSON, lines of `name: value`, or lines of a spreadsheet. Undefined: one value. */
export const pastedRows = (field: RowsField, text: string, firstColumn: number): Row[] | undefined => {
  const trimmed = text.trim();
  if (/^[[{]/.test(trimmed)) return rowsOfText(field, trimmed);
  const lines = trimmed.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (lines.length < 2 && !trimmed.includes('\t')) return undefined;
  const separator = trimmed.includes('\t') ? '\t' : trimmed.includes(';') ? ';' : ',';
  return lines.map((line) => {
    const [, name, value] = (field.isRecord && HEADER_LINE.exec(line.trim())) || [];
    if (name !== undefined && value !== undefined) return newRow({ name, value });
    const cells = line.split(separator).map((cell) => cell.trim());
    const columns = field.columns.slice(firstColumn);
    return newRow(
      Object.fromEntries(
        columns.slice(0, cells.length).map((column, i) => [column.name, cellText(column, cells[i])]),
      ),
    );
  });
};

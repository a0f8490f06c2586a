import Papa from 'papaparse';

/** Formats CSV (RFC 4180), every row with all of its cells. Text that a spreadsheet would execute as a formula gets a leading quote. */
export const writeCsv = (header: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  Papa.unparse([[...header], ...rows.map((row) => [...row])], { escapeFormulae: true, newline: '\r\n' });

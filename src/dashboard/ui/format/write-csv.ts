import Papa from 'papaparse';

/** Formats CSV (RFC 4180). Text that a spreadsheet would execute as a formula gets a leading quote. */
export const writeCsv = (header: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  Papa.unparse(
    { fields: [...header], data: rows.map((row) => [...row]) },
    { escapeFormulae: true, newline: '\r\n' },
  );

import Papa from 'papaparse';
import type { Value } from '#contract/telemetry.ts';

/** What a spreadsheet would take for a formula; a negative zero is none. */
const FORMULA = /^(?!-0$)[=+\-@\t\r]/;

/** RFC 4180, without a line break at the end. Text that a spreadsheet would run gets a quote before it; numbers stay as they are. */
export const csvRows = (rows: readonly (readonly (Value | null)[])[]): string =>
  Papa.unparse(
    rows.map((row) => row.map((cell) => (Object.is(cell, -0) ? '-0' : cell))),
    { escapeFormulae: FORMULA, newline: '\r\n' },
  );

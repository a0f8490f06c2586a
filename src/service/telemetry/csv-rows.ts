import Papa from 'papaparse';
import type { Value } from '#contract/telemetry.ts';

/** Matches text that a spreadsheet would execute as a formula. A negative zero is not a formula. */
const FORMULA = /^(?!-0$)[=+\-@\t\r]/;

/**
 * Formats CSV rows (RFC 4180), without a line break at the end. Text that a spreadsheet would execute gets a leading
 * quote; numbers stay unchanged.
 */
export const csvRows = (rows: readonly (readonly (Value | null)[])[]): string =>
  Papa.unparse(
    rows.map((row) => row.map((cell) => (Object.is(cell, -0) ? '-0' : cell))),
    { escapeFormulae: FORMULA, newline: '\r\n' },
  );

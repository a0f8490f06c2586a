/** The latest error for responses. */
export const lastErrorOf = (row: {
  last_error: string | null;
  last_error_at: number | null;
}): { at: string; detail: string } | null =>
  row.last_error === null || row.last_error_at === null
    ? null
    : { at: new Date(row.last_error_at).toISOString(), detail: row.last_error };

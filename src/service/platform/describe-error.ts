/** The message of an error, or of another value that was thrown. */
export const describeError = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Ends a transaction without its changes, with the result it would have had. */
class DryRunEnded<T> extends Error {
  readonly result: T;

  constructor(result: T) {
    super('A dry run has ended.');
    this.result = result;
  }
}

/** Runs a transaction and rolls it back. Returns its result. */
export const dryRun = async <T>(
  transact: (work: (run: () => Promise<T>) => Promise<never>) => Promise<never>,
): Promise<T> => {
  try {
    return await transact(async (run) => {
      throw new DryRunEnded(await run());
    });
  } catch (error) {
    if (error instanceof DryRunEnded) return error.result as T;
    throw error;
  }
};

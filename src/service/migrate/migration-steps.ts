/** How far the copy, or the comparison, of a table is. */
export type Progress = {
  readonly phase: 'copied' | 'compared';
  readonly table: string;
  /** Of this table, also in earlier runs. */
  readonly done: number;
  readonly total: number;
  readonly unit: 'rows' | 'samples';
};

/** The operator stopped the migration. */
export class MigrationStopped extends Error {
  override readonly name = 'MigrationStopped';
}

/** Counts the steps of a migration, each a committed transaction, and stops between two of them. */
export type MigrationSteps = {
  /** @throws MigrationStopped */
  complete(progress: Progress): void;
  /** Steps so far. */
  readonly count: number;
};

export const createSteps = (signal: AbortSignal, report: (progress: Progress) => void): MigrationSteps => {
  let count = 0;
  return {
    complete: (progress) => {
      count += 1;
      report(progress);
      if (signal.aborted) throw new MigrationStopped('The migration was stopped.');
    },
    get count() {
      return count;
    },
  };
};

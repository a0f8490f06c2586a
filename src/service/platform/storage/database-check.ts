import { formatMebibytes } from './format-mebibytes.ts';
import { isUnreadable } from './damaged-file.ts';
import { databaseBytesOf, integrityProblems, type DatabaseSync } from './dialects/sqlite.ts';

/** What a check uses. */
export type CheckContext = {
  readonly db: DatabaseSync;
  /** Reports a problem in a sentence that names the place. */
  readonly addProblem: (problem: string) => void;
  /** Reports the share that is done, from 0 to 1. */
  readonly onProgress: (done: number) => void;
};

/** One check of a database. */
export type DatabaseCheck = {
  readonly name: string;
  /** What to do if there are problems. */
  readonly advice: string;
  /** Returns what was checked and how much, or why nothing was checked. */
  readonly run: (context: CheckContext) => string | { readonly skipped: string };
};

export type CheckResult = {
  readonly name: string;
  readonly state: 'ok' | 'damaged' | 'skipped';
  readonly summary: string;
  /** The first problems. */
  readonly problems: readonly string[];
  readonly problemCount: number;
  readonly advice: string;
};

const MAX_LISTED = 10;

/** The result of a check that an unreadable file prevents. */
export const damagedResult = ({ name, advice }: DatabaseCheck, { message }: Error): CheckResult => ({
  name,
  state: 'damaged',
  summary: 'not checked to the end',
  problems: [`The file cannot be read (${message}).`],
  problemCount: 1,
  advice,
});

/** Runs a check. Damage, or an error of the disk, that prevents it is one of its problems. */
export const runCheck = (check: DatabaseCheck, context: Omit<CheckContext, 'addProblem'>): CheckResult => {
  const { name, advice } = check;
  const problems: string[] = [];
  let problemCount = 0;
  const addProblem = (problem: string) => {
    problemCount += 1;
    if (problems.length < MAX_LISTED) problems.push(problem);
  };
  try {
    const outcome = check.run({ ...context, addProblem });
    const [state, summary] =
      typeof outcome === 'string'
        ? ([problemCount === 0 ? 'ok' : 'damaged', outcome] as const)
        : (['skipped', outcome.skipped] as const);
    return { name, state, summary, problems, problemCount, advice };
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    const damaged = damagedResult(check, error);
    return {
      ...damaged,
      problems: [...problems, ...damaged.problems],
      problemCount: problemCount + damaged.problemCount,
    };
  }
};

/** The check of a file's pages, tables and indexes. Takes seconds per gigabyte, without progress. */
export const structureCheck = (advice: string): DatabaseCheck => ({
  name: 'structure',
  advice,
  run: ({ db, addProblem }) => {
    const summary = formatMebibytes(databaseBytesOf(db));
    for (const problem of integrityProblems(db)) addProblem(problem.replaceAll('\n', ' '));
    return summary;
  },
});

/** The first number of the first row. */
export const countOf = (db: DatabaseSync, query: string): number =>
  Number(Object.values(db.prepare(query).get() ?? {})[0] ?? 0);

/** A number with its noun. */
export const formatQuantity = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

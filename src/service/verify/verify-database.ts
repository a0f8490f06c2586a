import { findMigration, findSchemaProblem, type DataFile } from '../backup/data-files.ts';
import { isUnreadable } from '../platform/storage/damaged-file.ts';
import {
  damagedResult,
  runCheck,
  type CheckResult,
  type DatabaseCheck,
} from '../platform/storage/database-check.ts';
import { openSnapshot, type DatabaseSync } from '../platform/storage/dialects/sqlite.ts';
import { telemetryChecks, telemetryStructure } from '../telemetry/store/embedded/telemetry-checks.ts';
import { metadataChecks, metadataStructure } from './metadata-checks.ts';

export type VerifiedFile = { file: DataFile; path: string; isReadOnly: boolean };

/** `rejected`: why the file cannot be checked. */
export type VerificationMessage =
  | { running: string; done: number }
  | { result: CheckResult }
  | { rejected: string };

type Post = (message: VerificationMessage) => void;

const PROGRESS_EVERY_MS = 250;

/** The checks of the structure of any version, and those of the content of the newest. */
const CHECKS: Record<
  DataFile,
  { structure: readonly [DatabaseCheck, ...DatabaseCheck[]]; content: readonly DatabaseCheck[] }
> = {
  'penstock.db': { structure: metadataStructure, content: metadataChecks },
  'telemetry.db': { structure: [telemetryStructure], content: telemetryChecks },
};

const run = (check: DatabaseCheck, db: DatabaseSync, post: Post): void => {
  let postedAtMs = performance.now();
  post({ running: check.name, done: 0 });
  const onProgress = (done: number): void => {
    if (performance.now() - postedAtMs < PROGRESS_EVERY_MS) return;
    postedAtMs = performance.now();
    post({ running: check.name, done });
  };
  post({ result: runCheck(check, { db, onProgress }) });
};

const NOT_CHECKED: DatabaseCheck = {
  name: 'content',
  advice: '',
  run: () => ({
    skipped: 'not checked: an earlier version of Penstock wrote the file, and the next start migrates it',
  }),
};

/** Runs the checks of a database one after another. Other processes may write to it meanwhile. */
export const verifyDatabase = ({ file, path, isReadOnly }: VerifiedFile, post: Post): void => {
  const { structure, content } = CHECKS[file];
  let db: DatabaseSync | undefined;
  try {
    db = openSnapshot(path, { isReadOnly });
    const problem = findSchemaProblem(file, db);
    if (problem !== undefined) return post({ rejected: problem });
    const isNewest = findMigration[file](db) === undefined;
    for (const check of [...structure, ...(isNewest ? content : [NOT_CHECKED])]) run(check, db, post);
  } catch (error) {
    // The schema cannot be read. A check reports damage to other parts itself.
    if (!isUnreadable(error)) throw error;
    post({ result: damagedResult(structure[0], error) });
  } finally {
    db?.close();
  }
};

import { parentPort, workerData } from 'node:worker_threads';
import { openSqliteReadOnly } from '../platform/storage/dialects/sqlite.ts';
import { inspect, type DataFile } from './data-files.ts';

const { file, path } = workerData as { file: DataFile; path: string };
const db = openSqliteReadOnly(path);
try {
  parentPort?.postMessage(inspect(file, db));
} finally {
  db.close();
}

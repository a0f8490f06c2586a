import { parentPort, workerData } from 'node:worker_threads';
import { verifyDatabase, type VerifiedFile } from './verify-database.ts';

verifyDatabase(workerData as VerifiedFile, (message) => parentPort?.postMessage(message));

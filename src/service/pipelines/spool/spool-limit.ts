import { HttpProblem } from '../../platform/http/http-problem.ts';
import { spoolBytesOf } from '../definition/pipeline-store.ts';
import type { Db } from '../../platform/storage/database.ts';

/** Whether so much more may wait. An empty spool takes whatever comes: what is larger than its limit could never be taken otherwise. */
export const hasRoom = async (
  db: Db,
  pipelineId: string,
  { bytes, limitBytes }: { bytes: number; limitBytes: number },
): Promise<boolean> => {
  if (bytes === 0) return true;
  const waiting = await spoolBytesOf(db, pipelineId);
  return waiting === 0 || waiting + bytes <= limitBytes;
};

/** What is said to whoever brings more. */
export const spoolFull = (pipelineName: string): HttpProblem =>
  new HttpProblem(
    'overloaded',
    `The spool of “${pipelineName}” is full: the destination accepts no values. Fix the destination, then send the message again.`,
    { headers: { 'retry-after': '10' } },
  );

import { overloaded, type HttpProblem } from '../../platform/http/http-problem.ts';
import { spoolBytesOf } from '../definition/pipeline-store.ts';
import type { Db } from '../../platform/storage/database.ts';

/**
 * Whether the spool has room for more bytes. An empty spool always has room, because a batch above the limit could
 * never be stored otherwise.
 */
export const hasRoom = async (
  db: Db,
  pipelineId: string,
  { bytes, limitBytes }: { bytes: number; limitBytes: number },
): Promise<boolean> => {
  if (bytes === 0) return true;
  const waiting = await spoolBytesOf(db, pipelineId);
  return waiting === 0 || waiting + bytes <= limitBytes;
};

/** The problem for senders while the spool is full. */
export const spoolFull = (pipelineName: string): HttpProblem =>
  overloaded(
    `The spool of “${pipelineName}” is full: the destination accepts no samples. Fix the destination, then send the message again.`,
    10,
  );

import { inWrite, type Db } from '../../platform/storage/database.ts';
import { addToLedger, type LedgerEntry } from '../definition/pipeline-store.ts';
import { messageRecords, type MessageRecord } from '../rejections/rejected-message.ts';
import { countEqualRejection, insertRejections, trimRejections } from '../rejections/rejection-store.ts';
import { insertWholeMessages } from '../rejections/whole-message-store.ts';
import { hasRoom } from '../spool/spool-limit.ts';
import { insertSpoolBatches, spoolBatches } from '../spool/spool-store.ts';
import { countReasons, rejectedIn, type Stored } from './message-work.ts';
import { recordOverwrites } from './overwrite-store.ts';
import type { Submission } from './submission.ts';

/** A message and its outcome. */
type Done = { readonly submission: Submission; readonly stored: Stored };

/** Why outcomes could not be recorded: the spool is full, or the pipeline was deleted. */
type Failure = 'full' | 'gone';

/** Number of new rejections of a pipeline before old ones are trimmed. Large messages count as several. */
const REJECTIONS_PER_TRIM = 200;
const BYTES_LIKE_A_ROW = 65_536;

const sumOf = (done: readonly Done[], count: (stored: Stored) => number): number =>
  done.reduce((sum, { stored }) => sum + count(stored), 0);

type Dependencies = {
  db: Db;
  now: () => number;
  /** The size limit of the spool of each pipeline, in bytes. */
  spoolLimitBytes: number;
};

/** Records the outcomes of messages: in the ledger, with their rejections, and in the spool. */
export const createOutcomeRecorder = ({ db, now, spoolLimitBytes }: Dependencies) => {
  const untrimmed = new Map<string, number>();

  /** Adds outcomes to the ledger of a pipeline and spools samples for external destinations. */
  const recordOutcome = async (
    tx: Db,
    pipelineId: string,
    messages: readonly Done[],
  ): Promise<LedgerEntry | Failure> => {
    const atMs = now();
    const [received, rejected, skipped, overwritten] = [
      sumOf(messages, (stored) => stored.received),
      sumOf(messages, rejectedIn),
      sumOf(messages, (stored) => stored.skipped),
      sumOf(messages, (stored) => stored.overwritten),
    ];
    const spooled = messages.flatMap(({ stored }) => stored.spooled);
    const { rows: batches, bytes: spoolBytes, samples: pending } = spoolBatches(pipelineId, spooled, atMs);
    const entry = {
      pipelineId,
      received,
      delivered: received - rejected - pending - skipped,
      pending,
      rejected,
      reasons: rejected === 0 ? {} : countReasons(messages.map(({ stored }) => stored)),
      skipped,
      overwritten,
      spoolBytes,
      lastMessageAt: atMs,
    };
    const room = { bytes: spoolBytes, limitBytes: spoolLimitBytes };
    if (!(await hasRoom(tx, pipelineId, room))) return 'full';
    if (!(await addToLedger(tx, entry))) return 'gone';
    await insertSpoolBatches(tx, batches);
    await recordRejections(tx, pipelineId, messages);
    const overwrites = messages.flatMap(({ stored }) => stored.overwrites);
    await recordOverwrites(tx, pipelineId, overwrites, atMs);
    return entry;
  };

  const recordRejections = async (tx: Db, pipelineId: string, messages: readonly Done[]): Promise<void> => {
    const kept: MessageRecord[] = [];
    for (const { submission, stored } of messages)
      for (const message of messageRecords(submission, stored))
        if (!(await countEqualRejection(tx, message.rows))) kept.push(message);
    const rows = kept.flatMap((each) => each.rows);
    if (rows.length === 0) return;
    await insertRejections(tx, rows);
    const wholes = kept.flatMap(({ whole }) => whole ?? []);
    await insertWholeMessages(tx, wholes);
    const bulk = wholes.reduce((sum, { bytes }) => sum + Math.ceil(bytes / BYTES_LIKE_A_ROW), rows.length);
    untrimmed.set(pipelineId, (untrimmed.get(pipelineId) ?? 0) + bulk);
  };

  return {
    /** Records all outcomes in one transaction. `failures`: by pipeline, why none of its outcomes is recorded. */
    record: async (done: readonly Done[]) => {
      const byPipeline = Map.groupBy(done, ({ submission }) => submission.channel.id);
      const entries: LedgerEntry[] = [];
      const failures = new Map<string, Failure>();
      await inWrite(db, async (tx) => {
        for (const [pipelineId, messages] of byPipeline) {
          const entry = await recordOutcome(tx, pipelineId, messages);
          if (typeof entry === 'string') failures.set(pipelineId, entry);
          else entries.push(entry);
        }
      });
      return { entries, failures };
    },
    /** Deletes old rejections of pipelines with many new ones. */
    trim: async (): Promise<void> => {
      for (const [pipelineId, rows] of untrimmed) {
        if (rows < REJECTIONS_PER_TRIM) continue;
        await trimRejections(db, pipelineId, { wholeBytes: spoolLimitBytes });
        untrimmed.delete(pipelineId);
      }
    },
  };
};

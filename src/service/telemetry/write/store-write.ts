import type { FastifyRequest } from 'fastify';
import type { WriteReport } from '#contract/telemetry.ts';
import type { KeyActivityLog } from '../../access/key-activity.ts';
import type { ClientRejection } from '../../devices/client-rejection-log.ts';
import { partyOf } from '../../events/event-store.ts';
import { actorGroupOf, type Actor } from '../../platform/http/auth.ts';
import { clientAddressOf } from '../../platform/http/client-address.ts';
import { isAwaitedBy } from '../../platform/http/awaited.ts';
import { HttpProblem } from '../../platform/http/http-problem.ts';
import type { Ingest } from './ingest-samples.ts';
import { readWrite, type ReadLargeWrite, type Unreadable, type WriteInput } from './read-telemetry-body.ts';
import { telegrafUnitOf } from './telegraf-unit.ts';
import { UnreadableBody } from './unreadable-body.ts';
import { metricOfPointer, type Rejection, type SampleReading } from './sample-reading.ts';

const ERRORS_SHOWN = 100;
const COUNTS = ['received', 'accepted', 'overwritten', 'duplicates', 'rejected'] as const;

/** The problem of a body that cannot be read as a whole. */
export const unreadableProblem = ({ code, detail, field }: Unreadable): HttpProblem =>
  new HttpProblem(code, detail, field === undefined ? {} : { errors: [field] });

/** @throws HttpProblem if the body as a whole cannot be read */
export const readOrProblem = <T>(read: () => T): T => {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UnreadableBody)) throw error;
    const { code, message, field } = error;
    throw unreadableProblem({ code, detail: message, field });
  }
};

/** The outcome of a write. `noValues`: the samples without a value, such as NaN, which are not received. */
type WrittenReport = WriteReport & { noValues: number };

/**
 * Stores the write of a request. Resolves after all of it is on disk.
 * @throws HttpProblem if the body as a whole cannot be read; StorageFull, StoreBusy
 */
export type StoreWrite = (
  input: WriteInput & { isBackfill?: boolean },
  actor: Actor,
  request: FastifyRequest,
) => Promise<WrittenReport>;

export const createStoreWrite =
  ({
    ingest,
    readLargeWrite,
    keyActivity,
    recordRejection,
  }: {
    ingest: Pick<Ingest, 'accept'>;
    readLargeWrite: ReadLargeWrite;
    keyActivity: Pick<KeyActivityLog, 'find' | 'rejectWrite'>;
    /** Records that samples of a sender were rejected. */
    recordRejection: (rejection: ClientRejection) => void;
  }): StoreWrite =>
  async ({ isBackfill = false, ...input }, actor, request) => {
    const isAwaited = isAwaitedBy(request);
    const sender = {
      actor: partyOf(actor),
      registrant: actorGroupOf(actor),
      devices: actor.devices,
      onUnknownDevice: 'register' as const,
      isBackfill,
      unitOfMetric: input.format === 'line-protocol' ? telegrafUnitOf : undefined,
    };
    const report: WrittenReport = {
      received: 0,
      accepted: 0,
      overwritten: 0,
      duplicates: 0,
      rejected: 0,
      errors: [],
      noValues: 0,
    };
    let firstRejection: Rejection | undefined;
    const accept = async (reading: SampleReading): Promise<void> => {
      const { rejections, ...counts } = await ingest.accept(reading, sender);
      keyActivity.find(actor.id)?.add({
        format: input.format,
        pipeline: null,
        received: counts.received,
        rejected: counts.rejected,
        devices: counts.seenDevices,
        rejections: rejections.slice(0, ERRORS_SHOWN).map(({ code, detail }) => ({ reason: code, detail })),
      });
      report.noValues += reading.noValues ?? 0;
      for (const name of COUNTS) report[name] += counts[name];
      firstRejection ??= rejections[0];
      for (const { index, pointer, code, detail } of rejections.slice(0, ERRORS_SHOWN - report.errors.length))
        report.errors.push({ index, pointer, code, detail });
    };
    const acceptAll = async (): Promise<void> => {
      const slices = readLargeWrite(input);
      if (slices === undefined) return accept(readOrProblem(() => readWrite(input)));
      for await (const slice of slices) {
        await accept(slice);
        // A retry sends the whole body again.
        if (!isAwaited()) break;
      }
    };
    const record = (rejected: Pick<ClientRejection, 'reason' | 'detail' | 'device' | 'metric'>) =>
      recordRejection({
        ...rejected,
        username: '',
        address: clientAddressOf(request),
        actor: partyOf(actor),
        group: actorGroupOf(actor),
      });
    await acceptAll().catch((error: unknown) => {
      if (error instanceof HttpProblem && error.status < 500)
        record({ reason: error.code, detail: error.message });
      return keyActivity.rejectWrite(actor.id, error);
    });
    if (firstRejection !== undefined) {
      const { code, detail, device, pointer } = firstRejection;
      record({ reason: code, detail, device, metric: metricOfPointer(pointer) });
    }
    return report;
  };

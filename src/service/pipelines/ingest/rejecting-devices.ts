import { isExternalId } from '#contract/external-id.ts';
import type { MessageRejection } from '../formats/message.ts';

/** A device in a pipeline, many of whose recent samples were rejected. Times are epoch ms. */
export type RejectingDevice = {
  readonly pipelineId: string;
  /** The external ID or ID in the messages. */
  readonly device: string;
  /** Of the latest rejection. */
  readonly reason: string;
  /** Number of samples rejected for this reason since `sinceMs`. */
  readonly rejected: number;
  /** Number of samples rejected for other reasons. */
  readonly otherwiseRejected: number;
  readonly sinceMs: number;
  readonly lastAtMs: number;
};

type Receipt = {
  readonly atMs: number;
  readonly samples: number;
  readonly rejected: number;
  readonly rejections: readonly MessageRejection[];
  /** Whether the message before, if there was one, was accepted as a whole. Only read if samples were rejected. */
  readonly isAfterAccepted: boolean;
};

type ReasonCounts = ReadonlyMap<string, { readonly rejected: number; readonly sinceMs: number }>;

/** The reasons are codes of Penstock, so there are few. */
const addReasons = (before: ReasonCounts, { atMs, rejections }: Receipt): ReasonCounts => {
  const reasons = new Map(before);
  for (const { reason, samples } of rejections) {
    const { rejected, sinceMs } = reasons.get(reason) ?? { rejected: 0, sinceMs: atMs };
    reasons.set(reason, { rejected: rejected + samples, sinceMs });
  }
  return reasons;
};

/** Devices that are remembered, so that many names in hostile messages take little memory. */
const MAX_DEVICES = 10_000;
/** The weight of a message in the share of rejected samples: about the last five messages count. */
const WEIGHT = 0.2;
/** The largest share after a first message: if it is rejected, the device is listed until two messages are accepted. */
const FIRST_SHARE = 0.45;
/** A device is listed from this share of rejected samples, and forgotten below the other one. */
const SHARE = { listed: 0.3, forgotten: 0.05 };
/** Without rejections for this long a device is forgotten. Some devices send once a day. */
const REMEMBERED_MS = 86_400_000;

/**
 * Finds devices with many rejected samples, also where the pipeline as a whole accepts most. Counts messages that name
 * one device by a valid name: hostile ones may be megabytes long. Kept in memory: after a restart, the next messages of a device list it again.
 */
export const createRejectingDevices = (now: () => number) => {
  type Tracked = RejectingDevice & { readonly share: number; readonly reasons: ReasonCounts };
  /** The device with the oldest rejection first. */
  const tracked = new Map<string, Tracked>();

  const start = (key: string, first: Tracked): void => {
    if (tracked.size >= MAX_DEVICES) tracked.delete(tracked.keys().next().value!);
    tracked.set(key, first);
  };

  return {
    record: (pipelineId: string, device: string, receipt: Receipt): void => {
      const { atMs, samples, rejected, rejections, isAfterAccepted } = receipt;
      if ((tracked.size === 0 && rejected === 0) || !isExternalId(device)) return;
      const key = `${pipelineId} ${device}`;
      const before = tracked.get(key);
      if (before === undefined && rejected === 0) return;
      const ofMessage = samples === 0 ? 0 : rejected / samples;
      // Accepted messages are not tracked before the first rejection.
      const shareBefore = before?.share ?? (isAfterAccepted ? 0 : null);
      const share =
        shareBefore === null
          ? Math.min(FIRST_SHARE, ofMessage)
          : shareBefore + WEIGHT * (ofMessage - shareBefore);
      // Rejected again: it moves to the end.
      if (rejected > 0 || share < SHARE.forgotten) tracked.delete(key);
      if (share < SHARE.forgotten) return;
      if (rejected === 0) return void tracked.set(key, { ...before!, share });
      const reasons = addReasons(before?.reasons ?? new Map(), receipt);
      const reason = rejections.at(-1)!.reason;
      const ofReason = reasons.get(reason)!;
      const ofAll = [...reasons.values()].reduce((sum, each) => sum + each.rejected, 0);
      start(key, {
        pipelineId,
        device,
        reason,
        ...ofReason,
        otherwiseRejected: ofAll - ofReason.rejected,
        lastAtMs: atMs,
        share,
        reasons,
      });
    },
    list: (): RejectingDevice[] => {
      for (const [key, { lastAtMs }] of tracked) {
        if (lastAtMs > now() - REMEMBERED_MS) break;
        tracked.delete(key);
      }
      return [...tracked.values()].filter(({ share }) => share >= SHARE.listed);
    },
    /** Forgets the devices of a pipeline. */
    delete: (pipelineId: string): void => {
      for (const [key, each] of tracked) if (each.pipelineId === pipelineId) tracked.delete(key);
    },
  };
};
export type RejectingDevices = ReturnType<typeof createRejectingDevices>;

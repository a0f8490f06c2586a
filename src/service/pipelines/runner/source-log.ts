import type { Logger } from 'pino';
import { codeOf, OutboundFailure } from '../../platform/outbound/outbound-failure.ts';
import type { PipelineRow } from '../definition/pipeline-store.ts';

export type SourceLog = {
  /** `cause`: an error, or a description. */
  failed(cause: unknown): void;
  works(): void;
};

/** An error that is not a failed request to another system may be a bug, so its stack is logged too. */
const describeCause = (cause: unknown): Record<string, unknown> => {
  if (typeof cause === 'string') return { reason: cause };
  if (!(cause instanceof OutboundFailure)) return { err: cause };
  const code = codeOf(cause.cause);
  return { reason: cause.message, ...(code === '' ? {} : { code }) };
};

/** Logs when a source fails and when it recovers, not each failed attempt between. */
export const createSourceLog = (log: Logger, { id }: Pick<PipelineRow, 'id'>): SourceLog => {
  let isFailing = false;
  return {
    failed: (cause) => {
      if (isFailing) return;
      isFailing = true;
      log.warn({ pipeline: id, ...describeCause(cause) }, 'a source failed');
    },
    works: () => {
      if (!isFailing) return;
      isFailing = false;
      log.info({ pipeline: id }, 'a source recovered');
    },
  };
};

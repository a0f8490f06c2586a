import type { Spool } from '#contract/pipeline-state.ts';
import type { Peers } from '../../platform/peers.ts';
import type { PipelineRow } from '../definition/pipeline-store.ts';

/** The spools of pipelines, as reported by the process that delivers. */
export const createReportedSpools = (peers: Pick<Peers, 'subscribe'>) => {
  const reported = new Map<string, Spool>();
  peers.subscribe('pipeline', ({ id, spool }) => {
    if (spool === null) reported.delete(id);
    else reported.set(id, spool);
  });
  return {
    /** `own`: what this process knows, which is the size only. */
    spoolOf: (row: Pick<PipelineRow, 'id' | 'spool_bytes'>, own: Spool | null): Spool | null => {
      if (own === null) return null;
      const known = row.spool_bytes === 0 ? undefined : reported.get(row.id);
      return {
        ...own,
        oldestAt: null,
        drainsInSeconds: null,
        fullInSeconds: null,
        ...known,
        bytes: own.bytes,
      };
    },
  };
};

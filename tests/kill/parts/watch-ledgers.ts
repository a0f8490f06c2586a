import { setTimeout as delay } from 'node:timers/promises';
import type { Ledger } from '#contract/pipeline-state.ts';
import type { KillableService } from './killable-service.ts';

type Look = { readonly name: string; readonly state: string; readonly ledger: Ledger };

const EVERY_MS = 50;

const isBalanced = ({ received, delivered, pending, rejected, skipped }: Ledger): boolean =>
  received === delivered + pending + rejected + skipped;

/**
 * Checks the ledgers of all pipelines repeatedly through the API. A ledger whose `received` decreased since the
 * previous check also counts as unbalanced.
 */
export const watchLedgers = (service: KillableService) => {
  const latest = new Map<string, Look>();
  const counts = new Map<string, { looks: number; unbalanced: number }>();
  const offences: string[] = [];
  const stopping = new AbortController();

  const count = (look: Look) => {
    const { name, ledger } = look;
    const before = latest.get(name)?.ledger;
    const counted = counts.get(name) ?? { looks: 0, unbalanced: 0 };
    counts.set(name, counted);
    latest.set(name, look);
    counted.looks += 1;
    if (isBalanced(ledger) && ledger.received >= (before?.received ?? 0)) return;
    counted.unbalanced += 1;
    offences.push(`${name}: ${JSON.stringify(ledger)} after ${JSON.stringify(before)}`);
  };
  /** False where the service does not answer. */
  const look = async (): Promise<boolean> => {
    try {
      const { status, body } = await service.call('GET', '/v1/pipelines?limit=100');
      if (status !== 200) return false;
      for (const pipeline of (body as { data: Look[] }).data) count(pipeline);
      return true;
    } catch {
      return false;
    }
  };
  let looking: Promise<boolean> = look();
  /** One check at a time: a response that a later one overtakes would look like a decrease. */
  const lookInTurn = (): Promise<boolean> => (looking = looking.then(look));
  const run = async () => {
    while (!stopping.signal.aborted) {
      await lookInTurn();
      await delay(EVERY_MS);
    }
  };
  const running = run();

  return {
    look: lookInTurn,
    ledgerOf: (name: string): Ledger | undefined => latest.get(name)?.ledger,
    stateOf: (name: string): string => latest.get(name)?.state ?? 'not seen',
    countsOf: (name: string) => counts.get(name) ?? { looks: 0, unbalanced: 0 },
    /** What did not balance, in words. */
    offences: (): readonly string[] => offences,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
};
export type LedgerWatch = ReturnType<typeof watchLedgers>;

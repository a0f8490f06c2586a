import { setTimeout as delay } from 'node:timers/promises';
import type { Ledger } from '#contract/pipeline-state.ts';
import type { KillableService } from './killable-service.ts';

type LedgerCheck = { readonly name: string; readonly state: string; readonly ledger: Ledger };

const EVERY_MS = 50;

export const isBalanced = ({ received, delivered, pending, rejected, skipped }: Ledger): boolean =>
  received === delivered + pending + rejected + skipped;

/**
 * Checks the ledgers of all pipelines repeatedly through the API. A ledger whose `received` decreased since the
 * previous check also counts as unbalanced.
 */
export const watchLedgers = (service: KillableService) => {
  const latest = new Map<string, LedgerCheck>();
  const counts = new Map<string, { checks: number; unbalanced: number }>();
  const imbalances: string[] = [];
  const stopping = new AbortController();

  const count = (check: LedgerCheck) => {
    const { name, ledger } = check;
    const before = latest.get(name)?.ledger;
    const counted = counts.get(name) ?? { checks: 0, unbalanced: 0 };
    counts.set(name, counted);
    latest.set(name, check);
    counted.checks += 1;
    if (isBalanced(ledger) && ledger.received >= (before?.received ?? 0)) return;
    counted.unbalanced += 1;
    imbalances.push(`${name}: ${JSON.stringify(ledger)} after ${JSON.stringify(before)}`);
  };
  /** Returns false if the service does not answer. */
  const check = async (): Promise<boolean> => {
    try {
      const { status, body } = await service.call('GET', '/v1/pipelines?limit=100');
      if (status !== 200) return false;
      for (const pipeline of (body as { data: LedgerCheck[] }).data) count(pipeline);
      return true;
    } catch {
      return false;
    }
  };
  let checking: Promise<boolean> = check();
  /** One check at a time: responses in another order would look like a decrease. */
  const checkInTurn = (): Promise<boolean> => (checking = checking.then(check));
  const run = async () => {
    while (!stopping.signal.aborted) {
      await checkInTurn();
      await delay(EVERY_MS);
    }
  };
  const running = run();

  return {
    check: checkInTurn,
    ledgerOf: (name: string): Ledger | undefined => latest.get(name)?.ledger,
    stateOf: (name: string): string => latest.get(name)?.state ?? 'not seen',
    countsOf: (name: string) => counts.get(name) ?? { checks: 0, unbalanced: 0 },
    /** A description of each unbalanced ledger. */
    imbalances: (): readonly string[] => imbalances,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
};
export type LedgerWatch = ReturnType<typeof watchLedgers>;

import type { Ledger } from '#contract/pipeline-state.ts';
import { formatCount } from '../../ui/format/format-number.ts';

export const ledgerParts = ['delivered', 'pending', 'rejected', 'skipped'] as const;
export type LedgerPart = (typeof ledgerParts)[number];

/** The balance as an equation. `skipped` is left out while it is 0: few pipelines skip messages. */
export const ledgerInWords = (ledger: Ledger): string => {
  const parts = ledgerParts.filter((part) => part !== 'skipped' || ledger.skipped > 0);
  const sum = parts.map((part) => `${part} ${formatCount(ledger[part])}`).join(' + ');
  return `received ${formatCount(ledger.received)} = ${sum}`;
};

import { capitalize } from '#contract/capitalize.ts';
import type { Ledger } from '#contract/pipeline-state.ts';
import { formatCount } from '../../ui/format/format-number.ts';
import { Panel } from '../../ui/layout/panel.tsx';
import { LedgerBar, LedgerSwatch } from '../../resources/pipelines/ledger-bar.tsx';
import { ledgerInWords, ledgerParts } from '../../resources/pipelines/ledger-in-words.ts';
import { numberFormat } from '../../ui/format/intl-formats.ts';

const meanings = {
  delivered: 'stored by the destination',
  pending: 'waiting for the destination',
  rejected: 'listed below with the reason',
  skipped: 'without samples',
} as const;

const PERCENT = { style: 'percent', maximumFractionDigits: 2 } as const;

/** The ledger: received, delivered, pending and rejected samples. */
export const LedgerPanel = ({ ledger, className }: { ledger: Ledger; className: string }) => (
  <Panel title="Ledger" aside="Samples since creation, after replays" className={className}>
    <p className="tabular mb-3">
      <span className="mr-2 text-2xl font-semibold tracking-tight">{formatCount(ledger.received)}</span>
      <span className="text-muted">received</span>
    </p>
    <LedgerBar ledger={ledger} isThick />
    <dl className="tabular mt-3 divide-y divide-hairline">
      {ledgerParts.map((part) => (
        <div key={part} className="grid grid-cols-[1.5rem_1fr_auto_4.5rem] items-center gap-x-2 py-1.5">
          <LedgerSwatch part={part} />
          <dt className="min-w-0">
            {capitalize(part)}
            <span className="ml-2 text-sm text-muted max-md:hidden">{meanings[part]}</span>
            {part === 'delivered' && ledger.overwritten > 0 && (
              <span className="block text-sm text-muted">
                {formatCount(ledger.overwritten)} of them overwrote an earlier sample
              </span>
            )}
          </dt>
          <dd className="text-right font-medium">{formatCount(ledger[part])}</dd>
          <dd className="text-right text-sm text-muted">
            {ledger.received > 0 ? numberFormat(PERCENT).format(ledger[part] / ledger.received) : '–'}
          </dd>
        </div>
      ))}
    </dl>
    <p className="tabular mt-3 text-sm text-muted">{ledgerInWords(ledger)}</p>
  </Panel>
);

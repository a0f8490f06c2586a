import type { Ledger } from '#contract/pipeline-state.ts';
import { cx } from '../../ui/browser/cx.ts';
import { ledgerInWords, ledgerParts, type LedgerPart } from './ledger-in-words.ts';

/** Patterns besides colours. */
const fills: Record<LedgerPart, string> = {
  delivered: 'bg-accent',
  pending:
    'bg-[repeating-linear-gradient(135deg,var(--attention)_0_3px,transparent_3px_6px)] ring-1 ring-inset ring-attention',
  rejected: 'bg-[repeating-linear-gradient(90deg,var(--bad)_0_2px,var(--bad-soft)_2px_3px)]',
  skipped:
    'bg-[radial-gradient(var(--idle)_1px,transparent_1.25px)] bg-size-[4px_4px] ring-1 ring-inset ring-idle',
};

type Props = { ledger: Ledger; className?: string; isThick?: boolean };

/** The ledger of a pipeline as shares of one bar. */
export const LedgerBar = ({ ledger, className, isThick = false }: Props) => {
  const words = ledger.received === 0 ? 'Nothing received yet' : ledgerInWords(ledger);
  return (
    <span
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- drawn here, in the colours of the theme
      role="img"
      aria-label={words}
      data-hint={words}
      className={cx('flex gap-0.5 overflow-hidden rounded-full bg-hover', isThick ? 'h-3' : 'h-2', className)}
    >
      {ledgerParts.map(
        (part) =>
          ledger[part] > 0 && (
            <span
              key={part}
              className={cx('keeps-colour min-w-1', fills[part])}
              style={{ flexGrow: ledger[part] }}
            />
          ),
      )}
    </span>
  );
};

export const LedgerSwatch = ({ part }: { part: LedgerPart }) => (
  <span aria-hidden className={cx('keeps-colour inline-block h-2.5 w-4 shrink-0 rounded-sm', fills[part])} />
);

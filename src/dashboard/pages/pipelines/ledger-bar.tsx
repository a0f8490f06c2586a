import type { Ledger } from '#contract/pipelines.ts';
import { cx } from '../../ui/cx.ts';
import { formatCount } from '../../ui/format-number.ts';

type Part = 'delivered' | 'pending' | 'rejected';

/** Each differs in its pattern as well as in its colour. */
const fills: Record<Part, string> = {
  delivered: 'bg-accent',
  pending:
    'bg-[repeating-linear-gradient(135deg,var(--attention)_0_3px,transparent_3px_6px)] ring-1 ring-inset ring-attention',
  rejected: 'bg-[repeating-linear-gradient(90deg,var(--bad)_0_2px,var(--bad-soft)_2px_3px)]',
};
const parts = ['delivered', 'pending', 'rejected'] as const satisfies readonly Part[];

/** The balance in words: what came in is all accounted for. */
export const ledgerInWords = ({ received, delivered, pending, rejected }: Ledger): string =>
  `received ${formatCount(received)} = delivered ${formatCount(delivered)} + pending ${formatCount(pending)} + rejected ${formatCount(rejected)}`;

type Props = { ledger: Ledger; className?: string; isThick?: boolean };

/** What became of the values of a pipeline, as shares of one bar. */
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
      {parts.map(
        (part) =>
          ledger[part] > 0 && (
            <span key={part} className={cx('min-w-1', fills[part])} style={{ flexGrow: ledger[part] }} />
          ),
      )}
    </span>
  );
};

export const LedgerSwatch = ({ part }: { part: Part }) => (
  <span aria-hidden className={cx('inline-block h-2.5 w-4 shrink-0 rounded-sm', fills[part])} />
);

import type { RejectionGroups } from '#contract/rejections.ts';
import { cx } from '../../ui/browser/cx.ts';
import { formatCount } from '../../ui/format/format-number.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { reasonInWords } from '../../resources/pipelines/rejection-reason.ts';

type Props = {
  causes: RejectionGroups['data'];
  chosen: string | null;
  onChoose: (reason: string | null) => void;
};

/** The causes, the commonest first; one that is chosen shows only its rejections, and again all. */
export const RejectionReasonList = ({ causes, chosen, onChoose }: Props) => (
  <ul aria-label="Reasons" className="px-2 pb-2">
    {causes.map(({ reason, count, lastAt }) => {
      const isChosen = reason === chosen;
      return (
        <li key={reason} className="flex items-center gap-3 pr-2">
          <button
            type="button"
            aria-pressed={isChosen}
            onClick={() => onChoose(isChosen ? null : reason)}
            className={cx(
              'flex min-h-8 min-w-0 flex-1 items-center gap-3 rounded-sm px-2 text-left hover:bg-hover touch:min-h-11',
              isChosen && 'bg-accent-soft font-medium',
            )}
          >
            <span className="min-w-0 flex-1 truncate">{reasonInWords(reason)}</span>
            <span className="tabular">
              {formatCount(count)}
              <span className="sr-only"> {count === 1 ? 'sample' : 'samples'}</span>
            </span>
          </button>
          <RelativeTime at={lastAt} className="w-20 text-right text-sm text-muted" />
        </li>
      );
    })}
  </ul>
);

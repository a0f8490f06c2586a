import type { Preview } from '#contract/messages.ts';
import { reasonInWords } from '#contract/rejection-reason.ts';
import { Button } from '../../ui/controls/button.tsx';
import { formatCount } from '../../ui/format/format-number.ts';

/** Of each reason: a message with the time of a wrong clock has a rejection for each group. */
const SHOWN_OF_REASON = 3;

type Props = { rejections: Preview['rejections']; onUseExpression: (expression: string) => void };

/** The first rejections of each reason. */
export const PreviewRejections = ({ rejections, onUseExpression }: Props) => {
  const shown = [...Map.groupBy(rejections, ({ reason }) => reason).values()].flatMap((alike) =>
    alike.slice(0, SHOWN_OF_REASON),
  );
  const more = rejections.length - shown.length;
  return (
    <div>
      <h3 className="mb-1 font-medium">Would be rejected</h3>
      <ul
        aria-label="Would be rejected"
        className="divide-y divide-hairline rounded-md border border-hairline"
      >
        {shown.map(({ reason, detail, expression }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- the list is replaced whole
          <li key={index} className="px-3 py-2">
            <span className="font-medium text-bad-text">{reasonInWords(reason)}</span>
            <span className="block break-words text-muted">{detail}</span>
            {expression !== null && (
              <code className="mt-1 block font-mono text-sm wrap-anywhere">{expression}</code>
            )}
            {expression !== null && (
              <Button className="mt-1.5" onClick={() => onUseExpression(expression)}>
                Use this expression
              </Button>
            )}
          </li>
        ))}
        {more > 0 && <li className="px-3 py-2 text-sm text-muted">and {formatCount(more)} more</li>}
      </ul>
    </div>
  );
};

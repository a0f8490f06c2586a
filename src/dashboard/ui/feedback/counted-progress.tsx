import { formatCount, plural } from '../format/format-number.ts';
import { ProgressBar } from './progress-bar.tsx';

type Props = {
  /** “Adding tags” */
  doing: string;
  done: number;
  total: number;
  /** What is counted: “device”. */
  kind: string;
  failed?: number;
};

/** “Adding tags: 300 of 1,000 devices”, with a bar. Screen readers announce only the start. */
export const CountedProgress = ({ doing, done, total, kind, failed = 0 }: Props) => (
  <>
    <span className="tabular min-w-0 flex-1">
      {doing}: {formatCount(done)} of {plural(total, kind)}
      {failed > 0 && `, ${formatCount(failed)} failed`}
    </span>
    <ProgressBar
      label={doing}
      share={Math.min(1, done / Math.max(1, total))}
      className="w-40 max-md:order-last max-md:w-full"
    />
    <output className="sr-only">{doing}</output>
  </>
);

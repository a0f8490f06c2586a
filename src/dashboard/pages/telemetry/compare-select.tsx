import { useMediaQuery } from '../../ui/browser/media-query.ts';
import { Select } from '../../ui/controls/select.tsx';
import { comparisons, type Comparison } from './chart-options.ts';

/** Whether the comparison has room beside the range; otherwise it is one of the options. */
export const useIsComparisonInBar = () => useMediaQuery('(width >= 64rem)');

const earlierPeriods: { value: Comparison; label: string }[] = [
  { value: 'previous', label: 'Previous period' },
  { value: 'day', label: 'A day earlier' },
  { value: 'week', label: 'A week earlier' },
];

type Props = {
  compare: Comparison | null;
  /** What stands for no comparison. */
  none: string;
  onChange: (compare: Comparison | null) => void;
};

/** Chooses the earlier period that the charts are compared with. */
export const CompareSelect = ({ compare, none, onChange }: Props) => (
  <Select
    aria-label="Compare with"
    options={[{ value: 'none', label: none }, ...earlierPeriods]}
    value={compare ?? 'none'}
    onChange={(next) => onChange(comparisons.find((each) => each === next) ?? null)}
    className={compare === null ? '' : 'bg-accent-soft'}
  />
);

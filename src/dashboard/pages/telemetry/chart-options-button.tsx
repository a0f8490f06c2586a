import { SlidersHorizontal } from 'lucide-react';
import type { ComponentProps } from 'react';
import { useIsComparisonInBar } from './compare-select.tsx';
import { Popover } from '../../ui/overlays/popover.tsx';
import { lazyPart } from '../../ui/browser/lazy-part.tsx';
import { LoadFailure } from '../../ui/feedback/load-failure.tsx';

const ChartOptionsForm = lazyPart(
  async () => (await import('./chart-options-form.tsx')).ChartOptionsForm,
  LoadFailure,
);

/** Opens the options of the charts; marked while one is set. */
export const ChartOptionsButton = (props: ComponentProps<typeof ChartOptionsForm>) => {
  const { compare, shownAs, lines, display } = props.options;
  const isComparisonInBar = useIsComparisonInBar();
  const count =
    (compare === null || isComparisonInBar ? 0 : 1) +
    shownAs.size +
    lines.length +
    (display === null ? 0 : 1);
  return (
    <Popover
      label="Chart options"
      align="end"
      icon={<SlidersHorizontal aria-hidden className="size-4 max-2xl:hidden" />}
      content={
        <span className="tabular">
          Options
          {count > 0 && ` (${count})`}
        </span>
      }
      className={count > 0 ? 'bg-accent-soft' : ''}
    >
      {() => <ChartOptionsForm {...props} />}
    </Popover>
  );
};

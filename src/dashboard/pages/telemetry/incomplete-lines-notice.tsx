import { Button } from '../../ui/controls/button.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { formatCount } from '../../ui/format/format-number.ts';
import type { IncompleteMetric } from './combined-series.ts';
import type { ChosenDisplay } from './device-display.ts';

type Props = {
  metrics: readonly IncompleteMetric[];
  labelOf: (metric: string) => string;
  onDisplay: (display: ChosenDisplay) => void;
};

/** Says that devices are missing in parts of a combined line, and offers the number of devices as a line. */
export const IncompleteLinesNotice = ({ metrics, labelOf, onDisplay }: Props) => {
  if (metrics.length === 0) return null;
  const texts = metrics.map(
    ({ metric, least, devices }) => `${labelOf(metric)}: ${formatCount(least)} of ${formatCount(devices)}`,
  );
  return (
    <FormNotice
      tone="idle"
      action={
        <Button onClick={() => onDisplay({ is: 'across', across: 'count' })}>Show number of devices</Button>
      }
    >
      At times, only some of the devices have samples ({texts.join(', ')}).
    </FormNotice>
  );
};

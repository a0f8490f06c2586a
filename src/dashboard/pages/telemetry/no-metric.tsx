import { Button } from '../../ui/controls/button.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import type { KnownMetrics } from './known-metrics.ts';

/** More are found in the field above. */
const SUGGESTED = 8;

/** Devices are chosen but no metric: what they measure, one click from its chart. */
export const NoMetric = ({ known, onChoose }: { known: KnownMetrics; onChoose: (metric: string) => void }) =>
  known.metrics.length === 0 ? (
    <EmptyState title="These devices have sent nothing yet">
      Once they send, what they measure can be charted here.
    </EmptyState>
  ) : (
    <EmptyState
      title="Choose a metric"
      action={known.metrics.slice(0, SUGGESTED).map(({ metric, label, unit }) => (
        <Button key={metric} onClick={() => onChoose(metric)}>
          {label}
          {unit !== null && <span className="font-normal text-muted">{unit}</span>}
        </Button>
      ))}
    />
  );

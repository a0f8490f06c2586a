import type { Pipeline } from '#contract/pipelines.ts';
import { Sparkline } from '../../charts/sparkline.tsx';
import { formatRate } from '../../ui/format/format-number.ts';
import { usePerSecond, useRates } from '../../resources/pipelines/throughput.ts';

/** Of the sparkline: what was seen of the last ten minutes. */
const SHOWN_MS = 600_000;
const MIN_POINTS = 2;

/** Values per second now, and as a line since one looks. */
export const PipelineRate = ({ pipeline }: { pipeline: Pipeline }) => {
  const { ts, value } = useRates(pipeline.id);
  const perSecond = usePerSecond(pipeline);
  const from = ts.findIndex((at) => at >= (ts.at(-1) ?? 0) - SHOWN_MS);
  return (
    <span className="flex items-center gap-2">
      <span className="tabular text-right whitespace-nowrap md:w-12">
        {formatRate(perSecond)}
        <span className="text-muted">/s</span>
      </span>
      <span className="w-14 text-accent max-md:hidden">
        {ts.length - from >= MIN_POINTS && value.some((rate) => rate > 0) && (
          <Sparkline
            columns={{ ts: ts.subarray(from), value: value.subarray(from) }}
            width={56}
            height={20}
            includes={0}
            label="Values per second since this page was opened"
          />
        )}
      </span>
    </span>
  );
};

import { lazy } from 'react';
import type { Pipeline, PipelineType } from '#contract/pipelines.ts';
import { PipelineReason, PipelineStateDot } from '../../resources/pipelines/pipeline-state.tsx';
import type { Column } from '../../ui/table/data-table-props.ts';
import { formatCompact, formatRate } from '../../ui/format/format-number.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { intervalInWords } from '../../resources/pipelines/interval-in-words.ts';
import { LedgerBar } from '../../resources/pipelines/ledger-bar.tsx';
import { useLastMessageMs } from '../../resources/pipelines/throughput.ts';
import { Optional } from '../../ui/browser/optional.tsx';

const PipelineSparkline = lazy(async () => ({
  default: (await import('./pipeline-sparkline.tsx')).PipelineSparkline,
}));

const LastMessage = ({ pipeline }: { pipeline: Pipeline }) => {
  const atMs = useLastMessageMs(pipeline);
  if (atMs === null) return <span className="text-faint">None yet</span>;
  return <RelativeTime at={atMs} inRow className="relative z-1 text-muted" />;
};

const State = ({ pipeline }: { pipeline: Pipeline }) => (
  <span className="relative z-1">
    <PipelineStateDot pipeline={pipeline} />
  </span>
);

const LedgerCell = ({ ledger }: Pick<Pipeline, 'ledger'>) => (
  <span className="relative z-1 flex min-w-0 flex-1 items-center gap-1.5">
    <LedgerBar ledger={ledger} className="min-w-6 flex-1 max-md:w-20 max-md:flex-none" />
    <span className="tabular truncate text-right md:w-27">
      {ledger.rejected > 0 ? (
        <span className="text-bad-text">{formatCompact(ledger.rejected)} rejected</span>
      ) : ledger.pending > 0 ? (
        <span className="text-attention-text">{formatCompact(ledger.pending)} pending</span>
      ) : (
        <span className="text-muted">{formatCompact(ledger.received)}</span>
      )}
    </span>
  </span>
);

/** A text of two lines fits a row. */
const twoLinesClass = 'line-clamp-2 leading-4 wrap-anywhere whitespace-normal';

/** The columns of the list; labels and kinds come from the types that the service has. */
export const pipelineColumns = (types: readonly PipelineType[]): readonly Column<Pipeline>[] => {
  const typeOf = (pipeline: Pipeline) => types.find(({ type }) => type === pipeline.type);
  return [
    {
      id: 'state',
      header: 'State',
      sort: 'state',
      min: 96,
      grow: 0,
      card: 'aside',
      cell: (pipeline) => <State pipeline={pipeline} />,
    },
    {
      id: 'name',
      header: 'Name',
      sort: 'name',
      min: 115,
      grow: 3,
      isName: true,
      cell: ({ name }) => (
        <span data-hint-if-cut className={`relative z-1 text-balance ${twoLinesClass}`}>
          {name}
        </span>
      ),
    },
    {
      id: 'reason',
      header: 'Reason',
      min: 94,
      grow: 2,
      card: 'detail',
      cell: (pipeline) => <PipelineReason pipeline={pipeline} className={`relative z-1 ${twoLinesClass}`} />,
    },
    {
      id: 'type',
      header: 'Type, interval',
      sort: 'type',
      min: 96,
      grow: 2.6,
      drop: 1,
      card: 'detail',
      cell: (pipeline) => {
        const type = typeOf(pipeline);
        return (
          <span className={`tabular ${twoLinesClass}`}>
            {type?.label ?? pipeline.type}{' '}
            <span className="text-muted">{intervalInWords(pipeline.interval, type?.kind)}</span>
          </span>
        );
      },
    },
    {
      id: 'destination',
      header: 'Destination',
      min: 92,
      grow: 0,
      drop: 4,
      card: 'none',
      cell: ({ destination }) => (
        <span data-hint={destination} className="relative z-1 truncate">
          {destination}
        </span>
      ),
    },
    {
      id: 'throughput',
      header: 'Throughput',
      min: 108,
      grow: 0,
      drop: 2,
      card: 'detail',
      cell: (pipeline) => <PipelineThroughput pipeline={pipeline} />,
    },
    {
      id: 'ledger',
      header: 'Ledger',
      // A bar beside “999.9K rejected”.
      min: 150,
      grow: 1,
      drop: 1,
      card: 'detail',
      cell: ({ ledger }) => <LedgerCell ledger={ledger} />,
    },
    {
      id: 'lastMessageAt',
      header: 'Last message',
      sort: 'lastMessageAt',
      min: 100,
      grow: 0,
      align: 'end',
      drop: 3,
      card: 'detail',
      cell: (pipeline) => <LastMessage pipeline={pipeline} />,
    },
  ];
};

/** Samples per second: in the last minute, and as a sparkline of the last hour. */
const PipelineThroughput = ({ pipeline: { id, rate } }: { pipeline: Pipeline }) => (
  <span className="flex items-center gap-2">
    <span
      data-hint="Mean of the last minute"
      className="tabular relative z-1 text-right whitespace-nowrap md:w-12"
    >
      {formatRate(rate.perSecond)}
      <span className="text-muted">/s</span>
    </span>
    <span className="w-10 shrink-0 text-accent max-md:hidden">
      <Optional>
        <PipelineSparkline id={id} />
      </Optional>
    </span>
  </span>
);

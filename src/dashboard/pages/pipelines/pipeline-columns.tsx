import { lazy } from 'react';
import type { Pipeline, PipelineType } from '#contract/pipelines.ts';
import { PipelineReason, PipelineStateDot } from '../../resources/pipelines/pipeline-state.tsx';
import { cx } from '../../ui/browser/cx.ts';
import { cellTextClass, type Column } from '../../ui/table/data-table-props.ts';
import { formatCompact, formatRate } from '../../ui/format/format-number.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { intervalInWords } from '../../resources/pipelines/interval-in-words.ts';
import { LedgerBar } from '../../resources/pipelines/ledger-bar.tsx';
import { useLastMessageMs, useRates } from '../../resources/pipelines/throughput.ts';
import { Optional } from '../../ui/browser/optional.tsx';

const Sparkline = lazy(async () => ({ default: (await import('../../charts/sparkline.tsx')).Sparkline }));

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
  <span className="relative z-1 flex min-w-0 flex-1 items-center gap-2.5">
    <LedgerBar ledger={ledger} className="min-w-8 flex-1 max-md:w-20 max-md:flex-none" />
    <span className="tabular truncate text-right md:w-24">
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

/** The columns of the list; labels and kinds come from the types that the service has. */
export const pipelineColumns = (types: readonly PipelineType[]): readonly Column<Pipeline>[] => {
  const typeOf = (pipeline: Pipeline) => types.find(({ type }) => type === pipeline.type);
  return [
    {
      id: 'state',
      header: 'State',
      sort: 'state',
      min: 108,
      grow: 0,
      card: 'aside',
      cell: (pipeline) => <State pipeline={pipeline} />,
    },
    {
      id: 'name',
      header: 'Name',
      sort: 'name',
      min: 130,
      grow: 2,
      isName: true,
      cell: ({ name }) => name,
    },
    {
      id: 'reason',
      header: 'Reason',
      min: 140,
      grow: 4,
      card: 'detail',
      cell: (pipeline) => (
        <PipelineReason pipeline={pipeline} className={cx('relative z-1', cellTextClass)} />
      ),
    },
    {
      id: 'type',
      header: 'Type, interval',
      sort: 'type',
      min: 170,
      grow: 1,
      drop: 4,
      card: 'detail',
      cell: (pipeline) => {
        const type = typeOf(pipeline);
        return (
          <span className="tabular truncate">
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
      grow: 1,
      drop: 5,
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
      min: 112,
      grow: 0,
      drop: 1,
      card: 'detail',
      cell: (pipeline) => <PipelineThroughput pipeline={pipeline} />,
    },
    {
      id: 'ledger',
      header: 'Ledger',
      min: 150,
      grow: 2,
      drop: 1,
      card: 'detail',
      cell: ({ ledger }) => <LedgerCell ledger={ledger} />,
    },
    {
      id: 'lastMessageAt',
      header: 'Last message',
      sort: 'lastMessageAt',
      min: 102,
      grow: 0,
      align: 'end',
      drop: 2,
      card: 'detail',
      cell: (pipeline) => <LastMessage pipeline={pipeline} />,
    },
  ];
};

/** The sparkline shows the last ten minutes. */
const SHOWN_MS = 600_000;
const MIN_POINTS = 2;

/** Samples per second: in the last minute, and as a sparkline since the page was opened. */
const PipelineThroughput = ({ pipeline }: { pipeline: Pipeline }) => {
  const { ts, value } = useRates(pipeline.id);
  const from = ts.findIndex((at) => at >= (ts.at(-1) ?? 0) - SHOWN_MS);
  return (
    <span className="flex items-center gap-2">
      <span
        data-hint="Mean of the last minute"
        className="tabular relative z-1 text-right whitespace-nowrap md:w-12"
      >
        {formatRate(pipeline.rate.perSecond)}
        <span className="text-muted">/s</span>
      </span>
      <span className="w-14 text-accent max-md:hidden">
        {ts.length - from >= MIN_POINTS && value.some((rate) => rate > 0) && (
          <Optional>
            <Sparkline
              columns={{ ts: ts.subarray(from), value: value.subarray(from) }}
              width={56}
              height={20}
              includes={0}
              label="Samples per second since you opened this page"
            />
          </Optional>
        )}
      </span>
    </span>
  );
};

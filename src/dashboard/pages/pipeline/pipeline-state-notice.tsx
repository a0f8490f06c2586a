import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Pipeline } from '#contract/pipelines.ts';
import {
  DestinationLink,
  useDestinationNamed,
  useIsDestinationLoading,
} from '../../resources/destinations/destination-link.tsx';
import { useHasScope } from '../../api/session-queries.ts';
import { paths, withQuery } from '../../paths.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Link, LinkButton } from '../../ui/controls/link.tsx';
import type { Tone } from '../../ui/feedback/state-dot.tsx';
import { cx } from '../../ui/browser/cx.ts';
import { pipelineStateDisplay, useReasonTitle } from '../../resources/pipelines/pipeline-state.tsx';
import { configFieldsOf, fieldInWords } from '../../resources/pipelines/config-fields.ts';
import { pipelineQueries } from '../../resources/pipelines/pipeline-queries.ts';
import { describePause, usesEmbeddedBroker, usePause } from '../../resources/pipelines/use-pause.ts';
import { rejectionQueries } from '../../resources/pipelines/rejection-queries.ts';
import { useQueryParams } from '../../ui/browser/query-params.ts';
import { withParams } from '../../ui/browser/with-params.ts';
import { REJECTIONS_ID } from './rejections-panel.tsx';

const toneClasses: Record<Tone, string> = {
  good: 'border-good',
  attention: 'border-attention bg-attention-soft',
  bad: 'border-bad bg-bad-soft',
  idle: 'border-control bg-surface',
};

/** Scrolls to the rejections, with the most common reason chosen unless they are filtered already. */
const useShowRejections = (pipelineId: string) => {
  const [params, setParams] = useQueryParams();
  const { data: groups } = useQuery(rejectionQueries.groups(pipelineId));
  return () => {
    const reason = groups?.[0]?.reason;
    if (reason !== undefined && !params.has('reason') && !params.has('device'))
      setParams((old) => withParams(old, { reason, rejection: '' }), {
        replace: true,
        preventScrollReset: true,
      });
    const panel = document.getElementById(REJECTIONS_ID);
    panel?.scrollIntoView({ block: 'start' });
    panel?.querySelector<HTMLElement>('li button')?.focus({ preventScroll: true });
  };
};

/** The destination that the notice reads; undefined: none. */
const destinationInNotice = ({ state, destination }: Pipeline): string | undefined =>
  state === 'degraded' || state === 'failed' ? destination : undefined;

/** Whether what decides the height of the notice was known, so that nothing below it moves. Stays so for a pipeline. */
export const useIsNoticeKnown = (pipeline: Pipeline | undefined): boolean => {
  const isLoading = useIsDestinationLoading(pipeline && destinationInNotice(pipeline));
  const [knownId, setKnownId] = useState<string>();
  if (pipeline !== undefined && !isLoading && pipeline.id !== knownId) setKnownId(pipeline.id);
  return pipeline !== undefined && pipeline.id === knownId;
};

/** Why a pipeline is not running, with the action that fixes it. */
export const PipelineStateNotice = ({ pipeline }: { pipeline: Pipeline }) => {
  const { state, stateReason, id } = pipeline;
  const destination = useDestinationNamed(destinationInNotice(pipeline));
  const isRepeated = stateReason?.detail.includes(destination?.lastError?.detail ?? '') === true;
  const isDestinationAtFault =
    destination !== undefined && destination.state !== 'healthy' && stateReason?.code !== 'source';
  const reasonTitle = useReasonTitle(pipeline);
  const display = pipelineStateDisplay[pipeline.state];
  const canWrite = useHasScope('pipelines:write');
  const { setEnabled, isPending } = usePause();
  const showRejections = useShowRejections(id);
  if (state === 'running') return null;

  if (state === 'draft') return <DraftNotice pipeline={pipeline} />;
  if (state === 'paused') {
    return (
      <Notice
        tone="idle"
        title="Paused"
        action={
          canWrite && (
            <Button variant="primary" busy={isPending} onClick={() => void setEnabled(pipeline, true)}>
              Resume
            </Button>
          )
        }
      >
        <p>
          {describePause(pipeline)}{' '}
          {usesEmbeddedBroker(pipeline) && (
            <Link to={withQuery(paths.pipelines, { view: 'unrouted' })}>Unrouted messages</Link>
          )}
        </p>
      </Notice>
    );
  }
  return (
    <Notice
      tone={display.tone}
      title={reasonTitle === '' ? display.word : reasonTitle}
      action={
        isDestinationAtFault ? (
          <LinkButton to={withQuery(paths.destinations, { destination: destination.id })}>
            Show destination
          </LinkButton>
        ) : stateReason?.code === 'rejections' ? (
          <Button onClick={showRejections}>Show rejections</Button>
        ) : (
          canWrite &&
          stateReason?.code !== 'recovering' && <LinkButton to={paths.editPipeline(id)}>Edit</LinkButton>
        )
      }
    >
      {stateReason !== null && <p className="break-words">{stateReason.detail}</p>}
      {isDestinationAtFault && (
        <p className="break-words">
          <DestinationLink name={destination.name} />{' '}
          {destination.state === 'blocked' ? 'rejects samples until you fix it' : 'does not accept samples'}
          {isRepeated || destination.lastError === null ? '.' : `: ${destination.lastError.detail}`}
          {destination.state === 'retrying' && ' Penstock retries automatically.'}
          {pipeline.spool !== null &&
            pipeline.spool.bytes > 0 &&
            stateReason?.code !== 'spool-full' &&
            ' New samples are queued on disk.'}
        </p>
      )}
    </Notice>
  );
};

type NoticeProps = { tone: Tone; title: string; children?: ReactNode; action?: ReactNode };

const Notice = ({ tone, title, children, action }: NoticeProps) => (
  <section
    aria-label="State"
    className={cx(
      'flex flex-wrap items-center gap-x-4 gap-y-3 rounded-md border px-4 py-3',
      toneClasses[tone],
    )}
  >
    <div className="min-w-60 flex-1">
      <h2 className="font-semibold">{title}</h2>
      {children}
    </div>
    {action}
  </section>
);

const DraftNotice = ({ pipeline: { id, type, problems } }: { pipeline: Pipeline }) => {
  const canWrite = useHasScope('pipelines:write');
  const { data: types } = useQuery(pipelineQueries.types());
  const fields = configFieldsOf(types?.data.find((each) => each.type === type));
  const labelOf = (pointer: string) =>
    fields.find(({ name }) => pointer === `/config/${name}`)?.label ?? fieldInWords(pointer);
  return (
    <Notice tone={pipelineStateDisplay.draft.tone} title="Draft: complete these fields to run the pipeline">
      <ul className="mt-2 flex flex-col gap-2">
        {problems.map(({ pointer, detail }) => (
          <li key={pointer + detail} className="flex flex-wrap items-center gap-x-4 gap-y-1.5">
            <span className="min-w-40 flex-1 break-words">
              <span className="font-medium">{labelOf(pointer)}: </span>
              {detail}
            </span>
            {canWrite && (
              <LinkButton to={withQuery(paths.editPipeline(id), { field: pointer })}>
                Edit {labelOf(pointer).toLowerCase()}
              </LinkButton>
            )}
          </li>
        ))}
      </ul>
    </Notice>
  );
};

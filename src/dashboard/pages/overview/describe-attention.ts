import type { AttentionItem, AttentionKind } from '#contract/attention.ts';
import { stateReasonCodes, type PipelineState, type StateReason } from '#contract/pipeline-state.ts';
import { paths, subjectPath, withQuery } from '../../paths.ts';
import { deviceStateDisplay } from '../../resources/devices/device-state.tsx';
import { pipelineStateDisplay, summaryOf } from '../../resources/pipelines/pipeline-state.tsx';
import { reasonInWords } from '#contract/rejection-reason.ts';
import type { Tone } from '../../ui/feedback/state-dot.tsx';
import { plural } from '../../ui/format/format-number.ts';

/** How an item is shown. `summary`: what is wrong, without its duration. */
type AttentionWords = { title: string; path: string; word: string; tone: Tone; summary: string };

const toneOf = ({ severity }: AttentionItem): Tone => (severity === 'critical' ? 'bad' : 'attention');

const stateReasonOf = ({ reason, since, detail }: AttentionItem): StateReason => {
  const code = stateReasonCodes.find((known) => known === reason);
  return code === undefined || since === null ? null : { code, since, detail };
};

const ofPipeline = (item: AttentionItem, state: PipelineState): Partial<AttentionWords> => {
  const pipeline = { state, stateReason: stateReasonOf(item) };
  return { ...pipelineStateDisplay[state], summary: summaryOf(pipeline) };
};

/** “12 samples from 3 devices”. */
const describeSamples = ({ count, devices }: AttentionItem): string =>
  `${plural(count ?? 0, 'sample')}${devices === null || devices === 1 ? '' : ` from ${plural(devices, 'device')}`}`;

const describeRejected = (item: AttentionItem): Partial<AttentionWords> => {
  const { subject, devices, reason } = item;
  const isDevice = subject?.type === 'device';
  return {
    title: isDevice ? subject.name : `${plural(devices ?? 0, 'device')} of ${subject?.name ?? ''}`,
    ...(!isDevice &&
      subject !== null && { path: withQuery(paths.pipeline(subject.id), { reason: reason ?? '' }) }),
    word: 'Rejected',
    summary: `${reasonInWords(reason ?? '')}: ${plural(item.count ?? 0, 'sample')} rejected`,
  };
};

const describeOffline = ({ subject, devices }: AttentionItem): Partial<AttentionWords> => ({
  ...deviceStateDisplay.offline,
  ...(subject === null
    ? {
        title: 'Offline devices',
        path: withQuery(paths.devices, { state: 'offline', sort: '-lastSeenAt' }),
        summary: `${plural(devices ?? 0, 'device')} offline`,
      }
    : { summary: 'Offline' }),
});

const describeWebhook = ({ count, reason }: AttentionItem): Partial<AttentionWords> => {
  if (reason === 'gone') return { word: 'Paused', summary: 'Paused' };
  return {
    word: 'Retrying',
    summary:
      count === null || count === 0
        ? 'Deliveries failing'
        : `${plural(count, 'event')} pending, deliveries failing`,
  };
};

const words: Record<AttentionKind, (item: AttentionItem) => Partial<AttentionWords>> = {
  'storage-full': () => ({
    title: 'Service disk',
    path: paths.about,
    word: 'Full',
    summary: 'Writes rejected',
  }),
  'storage-read-only': () => ({
    title: 'Service disk',
    path: paths.about,
    word: 'Read-only',
    summary: 'Writes rejected',
  }),
  'storage-damaged': () => ({ title: 'Telemetry file', path: paths.about, word: 'Damaged', summary: '' }),
  'storage-low': () => ({
    title: 'Service disk',
    path: paths.about,
    word: 'Low',
    summary: 'Low disk space',
  }),
  'pipeline-failed': (item) => ofPipeline(item, 'failed'),
  'pipeline-degraded': (item) => ofPipeline(item, 'degraded'),
  'pipeline-draft': (item) => ofPipeline(item, 'draft'),
  'pipeline-paused': ({ count }) => ({
    word: 'Paused',
    summary: `${plural(count ?? 0, 'message')} sent to this paused pipeline`,
  }),
  'messages-skipped': ({ count }) => ({
    word: 'Skipped',
    summary: `${plural(count ?? 0, 'message')} without samples`,
  }),
  'samples-rejected': describeRejected,
  'devices-offline': describeOffline,
  'samples-overwritten': (item) => ({ word: 'Overwritten', summary: `${describeSamples(item)} overwritten` }),
  'messages-unrouted': ({ count }) => ({
    title: 'Unrouted messages',
    path: withQuery(paths.pipelines, { view: 'unrouted' }),
    word: 'Unrouted',
    summary: `${plural(count ?? 0, 'message')} matched no running pipeline`,
  }),
  'webhook-failing': describeWebhook,
  'api-key-refused': ({ subject, count, reason }) => ({
    path: withQuery(paths.apiKeys, { key: subject?.id, revoked: 'shown' }),
    word: 'Rejected',
    summary: `${plural(count ?? 0, 'request')} with this ${reason ?? 'inactive'} key`,
  }),
  'api-key-expiring': ({ subject, count }) => ({
    ...(subject === null && {
      title: 'API keys',
      path: withQuery(paths.apiKeys, { sort: 'expiresAt' }),
    }),
    word: 'Expiring',
    summary: subject === null ? `${plural(count ?? 0, 'API key')} in use expire` : 'API key in use expires',
  }),
};

const isKnown = (kind: string): kind is AttentionKind => Object.hasOwn(words, kind);

/** The words of an item. A kind that only a newer service has is described by its name. */
export const describeAttention = (item: AttentionItem): AttentionWords => {
  const { kind, subject } = item;
  const name = reasonInWords(kind);
  return {
    title: subject?.name ?? name,
    path: (subject && subjectPath(subject)) ?? paths.overview,
    word: name,
    tone: toneOf(item),
    summary: '',
    ...(isKnown(kind) && words[kind](item)),
  };
};

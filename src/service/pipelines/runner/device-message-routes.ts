import {
  DEVICE_MESSAGE_BYTES,
  deviceMessagesApi,
  type DeviceMessage,
  type DeviceMessages,
} from '#contract/device-messages.ts';
import { requireVisible } from '../../devices/device-rules.ts';
import { getDevice } from '../../devices/device-store.ts';
import { route } from '../../platform/http/route.ts';
import type { Db } from '../../platform/storage/database.ts';
import { listPipelineNames } from '../definition/pipeline-store.ts';
import type { LastMessage } from '../ingest/device-message-cache.ts';
import {
  countRejectionsOfDevice,
  listLatestRejectionsOfDevice,
  type LatestRejection,
} from '../rejections/device-rejections.ts';
import { textOf } from '../rejections/rejected-message.ts';
import type { Pipelines } from './pipelines.ts';
import { toIsoTime, toIsoTimeOrNull } from '../../platform/iso-time.ts';

const rejectedMessageOf = ([first, ...others]: readonly [
  LatestRejection,
  ...LatestRejection[],
]): DeviceMessage => {
  const bytes = Buffer.from(first.text);
  return {
    pipelineId: first.pipeline_id,
    at: toIsoTime(first.at),
    message: textOf({ bytes }, DEVICE_MESSAGE_BYTES),
    truncated: first.is_whole === 2 || bytes.length > DEVICE_MESSAGE_BYTES,
    topic: first.topic,
    samples: Math.round(first.message_values / first.occurrences),
    rejected: [first, ...others].reduce((sum, { value_count }) => sum + value_count / first.occurrences, 0),
    rejections: [first, ...others].map(({ id, reason, detail }) => ({ id, reason, detail })),
  };
};

const rejectedMessagesOf = (rows: readonly LatestRejection[]): DeviceMessage[] =>
  [...Map.groupBy(rows, ({ message_id }) => message_id).values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [rejectedMessageOf([first, ...others])],
  );

const lastMessageOf = ([pipelineId, last]: readonly [string, LastMessage]): DeviceMessage => ({
  pipelineId,
  at: toIsoTime(last.atMs),
  message: last.text,
  truncated: last.isTruncated,
  topic: last.topic,
  samples: last.samples,
  rejected: last.rejected,
  rejections: [],
});

/** A rejected message in memory is left out if it is stored, with its reasons. */
const mergeMessages = (
  last: readonly DeviceMessage[],
  rejected: readonly DeviceMessage[],
): DeviceMessage[] => {
  const placeOf = ({ pipelineId, at }: DeviceMessage) => `${pipelineId} ${at}`;
  const stored = new Set(rejected.map(placeOf));
  return [
    ...last.filter((message) => message.rejected === 0 || !stored.has(placeOf(message))),
    ...rejected,
  ].toSorted((a, b) => b.at.localeCompare(a.at));
};

const latestFirst = (
  { lastMessageAt: a, lastRejectedAt: b }: DeviceMessages['pipelines'][number],
  { lastMessageAt: c, lastRejectedAt: d }: DeviceMessages['pipelines'][number],
): number =>
  [c ?? '', d ?? '']
    .toSorted()
    .at(-1)!
    .localeCompare([a ?? '', b ?? ''].toSorted().at(-1)!);

type Dependencies = { db: Db; pipelines: Pick<Pipelines, 'messagesOf'> };

export const deviceMessageRoutes = ({ db, pipelines }: Dependencies) => [
  route(deviceMessagesApi.list, async ({ params, actor }) => {
    requireVisible(actor, params.id);
    const device = await getDevice(db, params.id);
    const { sinceMs, seenBy, last } = pipelines.messagesOf({ id: device.id, externalId: device.external_id });
    const counts = await countRejectionsOfDevice(db, device.external_id);
    const rejections = new Map(counts.map((count) => [count.pipeline_id, count]));
    const ids = new Set([...seenBy.keys(), ...last.keys(), ...rejections.keys()]);
    const names = await listPipelineNames(db, [...ids]);
    const known = new Set(names.map(({ id }) => id));
    const messages = mergeMessages(
      [...last].map(lastMessageOf),
      rejectedMessagesOf(await listLatestRejectionsOfDevice(db, device.external_id)),
    );
    return {
      since: toIsoTime(sinceMs),
      pipelines: names
        .map(({ id, name }) => {
          const seenAtMs = Math.max(seenBy.get(id) ?? 0, last.get(id)?.atMs ?? 0);
          const rejected = rejections.get(id);
          return {
            id,
            name,
            lastMessageAt: toIsoTimeOrNull(seenAtMs),
            rejected: rejected?.count ?? 0,
            lastRejectedAt: rejected === undefined ? null : toIsoTime(rejected.last_at),
          };
        })
        .toSorted(latestFirst),
      messages: messages.filter(({ pipelineId }) => known.has(pipelineId)),
    };
  }),
];

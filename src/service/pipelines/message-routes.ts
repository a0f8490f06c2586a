import { pipelineConfigs } from '#contract/pipeline-types.ts';
import { messagesApi } from '#contract/pipelines.ts';
import { slugOf } from '#contract/text.ts';
import type { Deps } from '../deps.ts';
import { partyOf } from '../events/event-store.ts';
import { route } from '../http/route.ts';
import { expressionProblem } from '../ingest/expression-problem.ts';
import { refuseExpression } from '../ingest/expression-reading.ts';
import { readMessage } from '../ingest/formats/read-message.ts';
import { previewReading } from '../ingest/preview-reading.ts';
import { topicFilter } from '../mqtt/topic-filter.ts';
import { getPipeline } from './pipeline-store.ts';
import { countRejections, deleteRejections, listRejections } from './rejection-store.ts';

const NOTHING = new Uint8Array();

export const messageRoutes = ({ db, expressions, now, pipelines }: Deps) => [
  route(messagesApi.send, async ({ params, query, body, actor }) => {
    const message = {
      bytes: body instanceof Uint8Array ? body : NOTHING,
      topic: null,
      device: query.device,
    };
    const origin = { actor: partyOf(actor), devices: actor.devices };
    const { received, rejected } = await pipelines.receive(params.id, message, origin);
    return { received, rejected };
  }),

  route(messagesApi.preview, async ({ body }) => {
    const config = pipelineConfigs.mqtt
      .partial()
      .loose()
      .safeParse(body.config ?? {}).data;
    const filter = topicFilter(config?.topic ?? pipelineConfigs.mqtt.parse({}).topic);
    const level = body.topic === undefined ? undefined : filter(body.topic)?.level;
    const message = {
      bytes: Buffer.from(body.message),
      topic: body.topic ?? null,
      device: level ?? body.device ?? config?.device,
    };
    if (body.mapping?.format === 'expression') {
      const { expression } = body.mapping;
      const fault = expressionProblem(expression);
      return previewReading(
        fault === undefined
          ? await expressions.tryOut(expression ?? '', message)
          : refuseExpression('expression-error', fault),
      );
    }
    const pipelineDevice = body.name === undefined ? undefined : slugOf(body.name, 128) || undefined;
    return previewReading(readMessage(message, { nowMs: now(), pipelineDevice }));
  }),

  route(messagesApi.rejections, async ({ params, query }) => {
    await getPipeline(db, params.id);
    if (query.groupBy !== undefined) return { data: await countRejections(db, params.id) };
    return listRejections(db, params.id, query);
  }),

  route(messagesApi.replay, ({ params, body, actor }) => pipelines.replay(params.id, body, actor)),

  route(messagesApi.discard, async ({ params }) => {
    await getPipeline(db, params.id);
    return { discarded: await deleteRejections(db, params.id) };
  }),
];

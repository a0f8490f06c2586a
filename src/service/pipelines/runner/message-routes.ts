import { MESSAGE_REJECTIONS, messagesApi } from '#contract/messages.ts';
import { TELEMETRY } from '#contract/pipelines.ts';
import { foldCase } from '#contract/fold-case.ts';
import { slugOf } from '#contract/slug-of.ts';
import { partyOf } from '../../events/event-store.ts';
import { actorGroupOf } from '../../platform/http/auth.ts';
import { bytesOf } from '../../platform/http/body.ts';
import { route } from '../../platform/http/route.ts';
import type { ExpressionEvaluator } from '../mapping/expression-evaluator.ts';
import { findRegistered } from '../mapping/find-registered.ts';
import { expressionProblem } from '../mapping/expression-problem.ts';
import { rejectMapping } from '../mapping/expression-reading.ts';
import type { Db } from '../../platform/storage/database.ts';
import { getPipeline } from '../definition/pipeline-store.ts';
import { mapMessage, type Evaluate } from '../mapping/map-message.ts';
import { previewReading } from '../mapping/preview-reading.ts';
import type { LearnedRegistry } from '../ingest/learned-registry.ts';
import type { Pipelines } from './pipelines.ts';
import {
  createDeviceFallback,
  metricPatternsOf,
  mqttFilterOf,
  timeRuleOf,
} from '../ingest/pipeline-channel.ts';

/** A detail may repeat text of the message. */
const MAX_DETAIL = 2_000;

type Dependencies = {
  expressions: Pick<ExpressionEvaluator, 'tryOut'>;
  now: () => number;
  retentionMs: number | undefined;
  pipelines: Pick<Pipelines, 'receive' | 'lastMessageOf' | 'skippedMessageOf'>;
  db: Db;
  learned: Pick<LearnedRegistry, 'findForPreview'>;
};

export const messageRoutes = ({ db, expressions, now, retentionMs, pipelines, learned }: Dependencies) => [
  route(messagesApi.send, async ({ params, query, body, actor }) => {
    const message = { bytes: bytesOf({ body }), topic: null, device: query.device };
    const origin = { actor: partyOf(actor), devices: actor.devices, registrant: actorGroupOf(actor) };
    const outcome = await pipelines.receive(params.id, message, origin);
    const { received, rejected, skipped, overwritten } = outcome;
    const byReason = Map.groupBy(outcome.rejections, ({ reason }) => reason);
    const rejections = [...byReason].slice(0, MESSAGE_REJECTIONS).map(([reason, alike]) => ({
      reason,
      detail: alike[0]?.detail.slice(0, MAX_DETAIL) ?? '',
      samples: alike.reduce((sum, { samples }) => sum + samples, 0),
    }));
    return { received, rejected, skipped, overwritten, rejections };
  }),

  route(messagesApi.last, async ({ params }) => {
    const { id } = await getPipeline(db, params.id);
    return { data: pipelines.lastMessageOf(id) ?? null };
  }),

  route(messagesApi.lastSkipped, async ({ params }) => {
    const { id } = await getPipeline(db, params.id);
    return { data: pipelines.skippedMessageOf(id) ?? null };
  }),

  route(messagesApi.preview, async ({ body, actor }) => {
    const { type = 'mqtt', config = {}, topic = null, device } = body;
    const message = {
      bytes: Buffer.from(body.message),
      topic,
      device: createDeviceFallback(type, config)({ topic, device }),
    };
    const times = timeRuleOf(config);
    const pipelineDevice = body.name === undefined ? undefined : slugOf(body.name, 128) || undefined;
    const receipt = {
      nowMs: now(),
      pipelineDevice,
      topicFilter: mqttFilterOf(type, config),
      metrics: metricPatternsOf(config),
      learned: body.pipeline === undefined ? undefined : learned.findForPreview(body.pipeline),
    };
    const evaluate: Evaluate = async (expression) => {
      const fault = expressionProblem(expression);
      return fault === undefined
        ? expressions.tryOut(expression, message)
        : rejectMapping('expression-error', fault);
    };
    const { mapping = { format: 'auto' } } = body;
    const { read } = await mapMessage(message, { mapping, receipt, times, evaluate });
    const isStored = foldCase(body.destination) === TELEMETRY;
    const preview = previewReading(read, times, {
      nowMs: receipt.nowMs,
      // Does not apply to external destinations.
      retentionMs: isStored ? retentionMs : undefined,
    });
    const registered = actor.scopes.includes('devices:read') ? await findRegistered(db, body.message) : [];
    return { ...preview, registered };
  }),
];

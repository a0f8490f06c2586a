import { Readable } from 'node:stream';
import * as z from 'zod';
import type { PipelineTest } from '#contract/pipeline-test.ts';
import { pipelineTestLineSchema, type PipelineTestLine } from '#contract/pipeline-test-line.ts';
import { pipelinesApi, type Pipeline } from '#contract/pipelines.ts';
import { type PipelineState } from '#contract/pipeline-state.ts';
import { updatedData } from '../../events/updated-data.ts';
import { partyOf, type Transact } from '../../events/event-store.ts';
import { preferredType } from '../../platform/http/preferred-type.ts';
import { Answer, requireMatch } from '../../platform/http/answer.ts';
import { disconnectSignal, requestClosed } from '../../platform/http/awaited.ts';
import { HttpProblem } from '../../platform/http/http-problem.ts';
import { route } from '../../platform/http/route.ts';
import { UNBUFFERED } from '../../platform/http/unbuffered.ts';
import { sources } from '../sources/source-catalogue.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { Environment } from '../../platform/secrets/environment.ts';
import type { Db } from '../../platform/storage/database.ts';
import { changedColumns } from '../definition/changed-columns.ts';
import { findValidationContext } from '../definition/find-validation-context.ts';
import { newPipelineRow } from '../definition/new-pipeline-row.ts';
import { pipelineEvent, stateChanged } from '../definition/pipeline-events.ts';
import { canonicalType, requireListedHosts } from '../definition/pipeline-rules.ts';
import {
  configOf,
  deletePipeline,
  findPipelineByName,
  getPipeline,
  insertPipeline,
  listPipelines,
  pipelineOf,
  problemsOf,
  secretsOf,
  stateOf,
  updatePipeline,
  type PipelineRow,
} from '../definition/pipeline-store.ts';
import { credentialProblem, requireTarget } from '../definition/pipeline-target.ts';
import type { Pipelines } from './pipelines.ts';

/** The other pipeline with this name. Names are unique, ignoring case. */
const findHolder = async (db: Db, name: string, ownId?: string): Promise<PipelineRow | undefined> => {
  const holder = await findPipelineByName(db, name);
  return holder?.id === ownId ? undefined : holder;
};

const NAME_TAKEN = { pointer: '/name', detail: 'Already used by another pipeline.' };

const requireFreeName = async (db: Db, name: string, ownId?: string): Promise<void> => {
  const holder = await findHolder(db, name, ownId);
  if (holder === undefined) return;
  throw new HttpProblem(
    'conflict',
    `A pipeline named “${holder.name}” already exists. Choose another name.`,
    {
      errors: [{ ...NAME_TAKEN, code: 'taken' }],
    },
  );
};

const typeOf = ({ type, label, description, kind, topicField, config }: (typeof sources)[number]) => {
  const { $schema: _, ...configSchema } = z.toJSONSchema(config, { io: 'input' });
  return { type, label, description, kind, topicField, configSchema };
};

/** The result of a test. @throws HttpProblem `overloaded` if the client left before */
const resultOfTest = async (lines: AsyncIterable<PipelineTestLine>): Promise<PipelineTest> => {
  for await (const line of lines) if (line.type === 'end') return line.test;
  throw requestClosed();
};

async function* encodeLines(lines: AsyncIterable<PipelineTestLine>): AsyncGenerator<string, void> {
  for await (const line of lines) yield `${JSON.stringify(pipelineTestLineSchema.parse(line))}\n`;
}

/** Keeps the observed state of a pipeline that continues running. */
const stateAfterChange = (old: PipelineState, resting: PipelineState): PipelineState =>
  resting === 'running' && old !== 'draft' && old !== 'paused' ? old : resting;

type Dependencies = {
  db: Db;
  transact: Transact;
  now: () => number;
  environment: Environment;
  outbound: Outbound;
  pipelines: Pick<Pipelines, 'apply' | 'currentThroughputOf' | 'tryOut'>;
};

export const pipelineRoutes = ({ db, transact, now, environment, outbound, pipelines }: Dependencies) => {
  const validationContextOf = (tx: Db, destination: string) =>
    findValidationContext(tx, { environment, destination });

  const requireListedHostsOf = (row: Pick<PipelineRow, 'type' | 'config' | 'secrets'>): void =>
    requireListedHosts({ type: row.type, config: configOf(row), secrets: secretsOf(row) }, environment);

  const modelOf = (row: PipelineRow): Pipeline => pipelineOf(row, pipelines.currentThroughputOf(row));

  const answer = (row: PipelineRow, status?: number): Answer<Pipeline> =>
    new Answer(modelOf(row), {
      etag: row.revision,
      ...(status === undefined ? {} : { status, location: `/v1/pipelines/${row.id}` }),
    });

  return [
    route(pipelinesApi.list, async ({ query }) => {
      const { rows, ...page } = await listPipelines(db, query);
      return { data: rows.map(modelOf), ...page };
    }),

    route(pipelinesApi.types, async () => ({ data: sources.map(typeOf) })),

    route(pipelinesApi.test, async ({ body, query, request, reply }) => {
      const row = newPipelineRow(body, now(), await validationContextOf(db, body.destination));
      // Errors that creating the pipeline would return are reported as problems too.
      const conflicts = [
        (await findHolder(db, row.name, query.pipeline)) === undefined ? undefined : NAME_TAKEN,
        credentialProblem(row.type, body.config ?? {}),
      ].filter((problem) => problem !== undefined);
      const problems = JSON.stringify([...problemsOf(row), ...conflicts]);
      const lines = pipelines.tryOut({ ...row, problems }, disconnectSignal(reply));
      const type = preferredType(request.headers.accept, pipelinesApi.test.responseTypes);
      if (type !== 'application/x-ndjson') return resultOfTest(lines);
      return reply
        .headers(UNBUFFERED)
        .type(type)
        .send(Readable.from(encodeLines(lines)));
    }),

    route(pipelinesApi.create, async ({ body, actor, saveResponse }) => {
      requireTarget(outbound, canonicalType(body.type), body.config ?? {});
      const row = await transact(async (tx, recordEvents) => {
        const created = newPipelineRow(body, now(), await validationContextOf(tx, body.destination));
        requireListedHostsOf(created);
        await requireFreeName(tx, created.name);
        await insertPipeline(tx, created);
        await recordEvents(pipelineEvent('pipeline.created', created, { actor: partyOf(actor), at: now() }));
        await saveResponse(tx, answer(created, 201));
        return created;
      });
      await pipelines.apply(row.id);
      return answer(row, 201);
    }),

    route(pipelinesApi.get, async ({ params }) => {
      return answer(await getPipeline(db, params.id));
    }),

    route(pipelinesApi.change, async ({ params, body, actor, request }) => {
      await transact(async (tx, recordEvents) => {
        const old = await getPipeline(tx, params.id);
        requireMatch(request, old.revision);
        if (body.name !== undefined) await requireFreeName(tx, body.name, old.id);
        const context = await validationContextOf(tx, body.destination ?? old.destination);
        const { columns, type, config, isMoved } = changedColumns(old, body, context);
        if (isMoved) requireTarget(outbound, type, config);
        // Other changes are accepted even if a host was removed from a list since.
        if (body.config !== undefined || body.type !== undefined) requireListedHostsOf(columns);
        const [from, to] = [stateOf(old), stateAfterChange(stateOf(old), columns.state)];
        const row = { ...columns, state: to, updated_at: now(), revision: old.revision + 1 };
        await updatePipeline(tx, old.id, row);
        const by = { actor: partyOf(actor), at: now() };
        const subject = { id: old.id, name: row.name };
        const data = updatedData(body, { isPaused: from === 'paused' });
        await recordEvents(pipelineEvent('pipeline.updated', subject, { ...by, data }));
        if (from !== to) await recordEvents(stateChanged(subject, { ...by, from, to, reason: null }));
      });
      await pipelines.apply(params.id);
      return answer(await getPipeline(db, params.id));
    }),

    route(pipelinesApi.remove, async ({ params, query, actor, request }) => {
      await transact(async (tx, recordEvents) => {
        const row = await getPipeline(tx, params.id);
        requireMatch(request, row.revision);
        if (row.pending > 0 && !query.discard)
          throw new HttpProblem(
            'conflict',
            `${row.pending} samples are still pending. Wait until they are delivered, or delete with ?discard=true.`,
          );
        await deletePipeline(tx, row.id);
        await recordEvents(pipelineEvent('pipeline.deleted', row, { actor: partyOf(actor), at: now() }));
      });
      await pipelines.apply(params.id);
      return undefined;
    }),
  ];
};

import type { Scope } from '#contract/scope.ts';
import { streamApi } from '#contract/stream.ts';
import type { Deps } from '../deps.ts';
import { findByExternalIds, findByIds } from '../devices/device-store.ts';
import { eventsAfter } from '../events/event-routes.ts';
import type { Actor } from '../http/auth.ts';
import { route } from '../http/route.ts';
import type { Db } from '../storage/database.ts';
import { createStreamClient } from './stream-client.ts';

/** How many events a client that comes back is told at the most; beyond that it reads anew. */
const MAX_RESUMED = 1_000;
/** The longest delay that a timer takes. */
const MAX_TIMER_MS = 2_147_483_647;

const idsOf = async (
  db: Db,
  names: readonly string[],
  only: readonly string[] | null,
): Promise<Set<string>> => {
  const rows = [...(await findByIds(db, names)), ...(await findByExternalIds(db, names))];
  return new Set(rows.map(({ id }) => id).filter((id) => only === null || only.includes(id)));
};

export const streamRoutes = (deps: Deps) => {
  const { db, live, now, authenticator, streams } = deps;

  return [
    route(streamApi.open, async ({ query, actor, request, reply }) => {
      const may = (scope: Scope) => actor.scopes.includes(scope);
      const sees = (deviceId: string) => actor.devices === null || actor.devices.includes(deviceId);
      const asked = await idsOf(db, query.device ?? [], actor.devices);
      const seen = await idsOf(db, [...(query.seen ?? []), ...(query.device ?? [])], actor.devices);
      const metrics = query.metric === undefined ? undefined : new Set(query.metric);
      const token = request.headers.authorization?.replace(/^Bearer +/i, '').trim() ?? '';

      reply.hijack();
      const response = reply.raw;
      response.writeHead(200, {
        ...(reply.getHeaders() as Record<string, string>),
        'content-type': 'text/event-stream; charset=utf-8',
        'x-accel-buffering': 'no',
      });
      response.write('retry: 2000\n\n');

      const client = createStreamClient(
        response,
        () => void authenticator(token, request.ip).catch(() => close()),
      );
      const ends: (() => void)[] = [];
      let isOpen = true;
      const close = () => {
        if (!isOpen) return;
        isOpen = false;
        for (const end of ends) end();
        streams.delete(close);
        client.close();
      };
      streams.add(close);
      response.on('close', close);
      response.on('error', close);
      closeWhenExpired(actor, now(), close, ends);

      ends.push(
        live.subscribe('ended', ({ actorId }) => {
          if (actorId === actor.id || actorId === actor.key?.id) close();
        }),
      );
      if (may('devices:read'))
        ends.push(
          live.subscribe('device', ({ frame, hasTurned }) => {
            if (sees(frame.id) && (hasTurned || seen.has(frame.id))) client.send('device', frame);
          }),
        );
      if (may('pipelines:read'))
        ends.push(live.subscribe('pipeline', (frame) => client.send('pipeline', frame)));
      if (may('telemetry:read'))
        ends.push(
          live.subscribe('telemetry', (message) => {
            if (asked.has(message.device) && (metrics === undefined || metrics.has(message.metric)))
              client.addTelemetry(message);
          }),
        );
      if (may('events:read')) {
        const told = new Set<string>();
        const waiting: (() => void)[] = [];
        let isResumed = false;
        ends.push(
          live.subscribe('event', (event) => {
            const tell = () => {
              if (!told.delete(event.id)) client.send('event', event, event.id);
            };
            if (isResumed) tell();
            else waiting.push(tell);
          }),
        );
        // What happened while the log is read waits behind it, so that the order is that of the log.
        const lastId = request.headers['last-event-id'];
        const missed = typeof lastId === 'string' ? await eventsAfter(db, lastId, MAX_RESUMED) : [];
        if (missed === undefined) client.send('reset', {});
        for (const event of missed ?? []) {
          told.add(event.id);
          client.send('event', event, event.id);
        }
        isResumed = true;
        for (const tell of waiting) tell();
      }
      return reply;
    }),
  ];
};

const closeWhenExpired = (actor: Actor, nowMs: number, close: () => void, ends: (() => void)[]): void => {
  if (actor.expiresAt === null) return;
  const timer = setTimeout(close, Math.min(MAX_TIMER_MS, Math.max(0, actor.expiresAt - nowMs)));
  ends.push(() => clearTimeout(timer));
};

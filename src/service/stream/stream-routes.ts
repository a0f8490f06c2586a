import { streamApi } from '#contract/stream.ts';
import { findByExternalIds, findByIds } from '../devices/device-store.ts';
import { clientAddressOf } from '../platform/http/client-address.ts';
import { route } from '../platform/http/route.ts';
import { UNBUFFERED } from '../platform/http/unbuffered.ts';
import type { Db } from '../platform/storage/database.ts';
import { createEventFeed } from './resume-events.ts';
import type { StreamHub } from './stream-hub.ts';

const HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', ...UNBUFFERED };
/** How long clients wait before they reconnect. */
const RETRY_MS = 2_000;

const idsOf = async (
  db: Db,
  names: readonly string[],
  only: readonly string[] | null,
): Promise<Set<string>> => {
  if (names.length === 0) return new Set();
  const rows = [...(await findByIds(db, names)), ...(await findByExternalIds(db, names))];
  return new Set(rows.map(({ id }) => id).filter((id) => only === null || only.includes(id)));
};

export const streamRoutes = ({ db, streams }: { db: Db; streams: StreamHub }) => [
  route(streamApi.open, async ({ query, actor, request, reply }) => {
    const asked = await idsOf(db, query.device ?? [], actor.devices);
    const seen = await idsOf(db, query.seen ?? [], actor.devices);
    streams.requireRoom(actor);
    if (request.method === 'HEAD') return reply.headers(HEADERS).send();

    reply.hijack();
    const response = reply.raw;
    response.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...HEADERS });
    response.write(`retry: ${RETRY_MS}\n\n`);
    const lastId = request.headers['last-event-id'];
    const { onEvent, begin } = createEventFeed(db);
    streams.open(response, {
      id: query.id,
      replaces: query.replaces,
      actor,
      token: request.headers.authorization?.replace(/^Bearer +/i, '').trim() ?? '',
      from: clientAddressOf(request),
      asked,
      seen: new Set([...seen, ...asked]),
      metrics: query.metric === undefined ? undefined : new Set(query.metric),
      ...(actor.scopes.includes('events:read') && {
        events: {
          send: onEvent,
          begin: (client, { isContinued }) =>
            begin(client, isContinued || typeof lastId !== 'string' || lastId === '' ? undefined : lastId),
        },
      }),
    });
    return reply;
  }),
];

import { setTimeout as delay } from 'node:timers/promises';
import type { KillableService } from './killable-service.ts';
import { kinds, renamed, type Item, type Kind, type MetadataHistory } from './metadata-history.ts';
import type { Sender } from './sent-ledger.ts';

const PAUSE_MS = 250;
/** Of so many items, one is not deleted. */
const KEPT = 3;

const northern = { tags: { site: 'north' } };
const southern = { tags: { site: 'south' } };

const plans: Record<Kind, { prefix: string; more: object; before: object; after: object }> = {
  devices: { prefix: 'Device', more: northern, before: northern, after: southern },
  pipelines: {
    prefix: 'Pipeline',
    more: { type: 'http', interval: 5, destination: 'telemetry' },
    before: { enabled: true },
    after: { enabled: false },
  },
  'api-keys': { prefix: 'Key', more: { scopes: ['devices:read'] }, before: {}, after: {} },
};

/** Creates, changes and deletes devices, pipelines and API keys. A request that fails stops the sender with an error. */
export const startMetadataSender = (service: KillableService, history: MetadataHistory): Sender => {
  const stopping = new AbortController();
  const send = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const { status, body: answer } = await service.call(method, path, body);
    if (status >= 400)
      throw new Error(`${method} ${path} is answered with ${status}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const changeItem = async (kind: Kind, n: number): Promise<void> => {
    const { prefix, more, before, after } = plans[kind];
    const name = `${prefix} ${n}`;
    const created: Item = { name, ...before };
    const changed: Item = { name: renamed(name), ...after };
    let answered = history.begin(kind, name, created);
    const { id, secret } = (await send('POST', `/v1/${kind}`, { name, ...more })) as {
      id: string;
      secret?: string;
    };
    answered();
    if (secret !== undefined) history.secrets.set(name, secret);
    await delay(PAUSE_MS);
    answered = history.begin(kind, name, changed);
    await send('PATCH', `/v1/${kind}/${id}`, changed);
    answered();
    await delay(PAUSE_MS);
    if (n % KEPT === 0) return;
    const isKey = kind === 'api-keys';
    answered = history.begin(kind, name, isKey ? { ...changed, revokedAt: 'now' } : undefined);
    await send('DELETE', `/v1/${kind}/${id}`);
    answered();
  };
  const loops = kinds.map(async (kind) => {
    for (let n = 1; !stopping.signal.aborted; n += 1) await changeItem(kind, n);
  });
  const ended = Promise.all(loops);
  // The error is reported by `stop`.
  ended.catch(() => undefined);
  return {
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
};

import mqtt, { type MqttClient } from 'mqtt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '#contract/endpoints.ts';
import { fillPath, type EndpointShape } from '#contract/endpoint.ts';
import { freePort } from './free-port.ts';
import { sized } from './sized.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let test: TestService;
let pipelineId: string;
let mqttClient: MqttClient;
beforeAll(async () => {
  const mqttPort = await freePort();
  test = await startTestService({ env: { MQTT_PORT: String(mqttPort) } });
  const { secret } = await test.mintKey(['telemetry:write']);
  mqttClient = await mqtt.connectAsync(`mqtt://127.0.0.1:${mqttPort}`, {
    username: 'listed',
    password: secret,
  });
});
afterAll(async () => {
  await mqttClient.endAsync(true);
  await test.close();
});

const batch = async (operation: string, items: readonly Record<string, unknown>[]) => {
  for (let start = 0; start < items.length; start += 1_000) {
    const { status } = await test.request('POST', '/v1/devices/batch', {
      body: { operation, items: items.slice(start, start + 1_000) },
    });
    expect(status).toBe(200);
  }
};

const ROWS = sized(600, 10_000);
/** Number of rows that are added and deleted during a walk. */
const CHANGES = ROWS / 20;

describe(`a walk through ${ROWS} devices`, () => {
  let alive: string[] = [];
  let made = 0;
  const makeNames = (count: number) => Array.from({ length: count }, () => `walk-${(made += 1)}`);
  const items = (externalIds: readonly string[]) => externalIds.map((externalId) => ({ externalId }));
  beforeAll(async () => {
    alive = makeNames(ROWS);
    await batch('upsert', items(alive));
  });

  it.each([
    ['createdAt', 200],
    ['-createdAt', 200],
    ['id', 200],
    ['-id', 200],
    ['createdAt', 173],
    ['-id', 61],
    // The last device of the first page is deleted.
    ['name&q=walk-', 68],
    ['-name&q=walk-', 73],
  ])(
    'returns each device once by %s in pages of %i while others are registered and deleted',
    async (sort, limit) => {
      // All over the walk: some that it has met by then, and some that it has not.
      const going = alive.filter((_, index) => index % (ROWS / CHANGES) === 7);
      if (sort.startsWith('-name')) going.reverse();
      const coming = makeNames(CHANGES);
      const leaving = new Set(going);
      const stayed = alive.filter((name) => !leaving.has(name));
      const perPage = Math.ceil(CHANGES / (ROWS / limit - 2));

      const met: string[] = [];
      let page = 0;
      for (let cursor: string | null = ''; cursor !== null; page += 1) {
        const { status, body } = await test.request(
          'GET',
          `/v1/devices?sort=${sort}&limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`,
        );
        expect(status).toBe(200);
        met.push(...body.data.map(({ externalId }: { externalId: string }) => externalId));
        cursor = body.nextCursor;
        const [from, to] = [page * perPage, (page + 1) * perPage];
        await batch('delete', items(going.slice(from, to)));
        await batch('upsert', items(coming.slice(from, to)));
      }
      expect(page * perPage).toBeGreaterThanOrEqual(CHANGES);
      const seen = new Set(met);
      expect(seen.size).toBe(met.length);
      expect(stayed.filter((name) => !seen.has(name))).toEqual([]);
      alive = [...stayed, ...coming];
    },
    60_000,
  );
});

/** How to add rows to each list. A list that is missing here fails its tests. */
const filling: Record<string, (number: number) => Promise<unknown>> = {
  '/v1/devices': (number) => test.request('POST', '/v1/devices', { body: { name: `Listed ${number}` } }),
  '/v1/pipelines': (number) =>
    test.request('POST', '/v1/pipelines', {
      body: { name: `Listed ${number}`, type: 'http', interval: 1, destination: 'telemetry' },
    }),
  '/v1/pipelines/{id}/rejections': () =>
    test.request('POST', `/v1/pipelines/${pipelineId}/messages`, { body: { temp: null, list: [1] } }),
  '/v1/api-keys': () => test.mintKey(['devices:read']),
  '/v1/events': (number) => test.request('POST', '/v1/devices', { body: { name: `Told ${number}` } }),
  '/v1/destinations': (number) =>
    test.request('POST', '/v1/destinations', {
      body: { name: `Broker ${number}`, type: 'mqtt', url: 'mqtt://broker.example.com' },
    }),
  '/v1/webhooks': (number) =>
    test.request('POST', '/v1/webhooks', {
      body: { name: `Hook ${number}`, url: 'https://example.com/', events: ['device.offline'] },
    }),
  '/v1/unrouted': (number) => mqttClient.publishAsync(`listed-topic-${number}/state`, '1', { qos: 1 }),
};
/** A filter that changes what any list shows. */
const filters: Record<string, string> = {
  '/v1/events': 'type=device.registered',
  '/v1/pipelines/{id}/rejections': 'reason=not-a-value',
};

/** Unrouted topics are identified by their filter, other rows by their ID. */
const idOf = ({ id, topicFilter }: { id?: string; topicFilter?: string }) => id ?? topicFilter;

const isList = ({ query }: EndpointShape): boolean => query !== undefined && 'cursor' in query.shape;
const lists = endpoints.filter(isList);
const sortsOf = ({ query }: EndpointShape): string[] => {
  const { parameters } = { parameters: query?.toJSONSchema({ io: 'input', unrepresentable: 'any' }) };
  return (parameters?.properties?.['sort'] as { enum?: string[] } | undefined)?.enum ?? [];
};

describe.each(lists.map((endpoint) => [endpoint.path, endpoint] as const))(
  'the cursor of %s',
  (path, endpoint) => {
    let cursor: string;
    const ask = (query: string) => test.request('GET', `${fillPath(path, { id: pipelineId })}?${query}`);

    beforeAll(async () => {
      pipelineId ??= (
        await test.request('POST', '/v1/pipelines', {
          body: { name: 'Of rejections', type: 'http', interval: 1, destination: 'telemetry' },
        })
      ).body.id;
      const fill = filling[path];
      if (fill === undefined) throw new Error(`Say in this file how rows come into ${path}.`);
      for (let number = 0; number < 4; number += 1) await fill(number);
      cursor = (await ask('limit=2')).body.nextCursor;
      if (cursor === null) throw new Error(`${path} holds too few rows for a second page.`);
    });

    it('can change the limit and request the total', async () => {
      const first = await ask('limit=2');
      const next = await ask(`limit=1&total=true&cursor=${first.body.nextCursor}`);
      expect(next.status).toBe(200);
      expect(next.body.total).toBeGreaterThanOrEqual(4);
      const ids = [...first.body.data, ...next.body.data].map(idOf);
      expect(new Set(ids).size).toBe(3);
    });

    it.each(sortsOf(endpoint))('walks the whole list by %s, each row once', async (sort) => {
      const { body } = await ask(`limit=200&sort=${sort}`);
      const whole = body.data.map(idOf);
      const limit = Math.max(3, Math.ceil(whole.length / 20));
      const walked: string[] = [];
      for (let next: string | null = ''; next !== null && walked.length < whole.length;) {
        const page = await ask(`limit=${limit}&sort=${sort}${next === '' ? '' : `&cursor=${next}`}`);
        expect(page.status).toBe(200);
        walked.push(...page.body.data.map(idOf));
        next = page.body.nextCursor;
      }
      expect(walked.slice(0, whole.length)).toEqual(whole);
    });

    it.each([
      ['with another sort', () => `cursor=${cursor}&sort=${sortsOf(endpoint)[0]}`],
      ['with another filter', () => `cursor=${cursor}&${filters[path] ?? 'q=listed'}`],
      ['that is garbage', () => 'cursor=garbage'],
      ['that is empty', () => 'cursor='],
      ['that was shortened', () => `cursor=${cursor.slice(0, -4)}`],
      ['that somebody made up', () => `cursor=${Buffer.from('["x",{},[]]').toString('base64url')}`],
    ])('is rejected %s', async (_, query) => {
      const { status, body } = await ask(query());
      expect([status, body.code]).toEqual([400, 'cursor-mismatch']);
    });

    it('is rejected by every other list', async () => {
      for (const other of lists) {
        if (other.path === path) continue;
        const { status, body } = await test.request(
          'GET',
          `${fillPath(other.path, { id: pipelineId })}?cursor=${cursor}`,
        );
        expect([other.path, status, body.code]).toEqual([other.path, 400, 'cursor-mismatch']);
      }
    });
  },
);

describe('the cursor of the rejections of one pipeline', () => {
  it('is rejected for another pipeline', async () => {
    const { body: other } = await test.request('POST', '/v1/pipelines', {
      body: { name: 'Another', type: 'http', interval: 1, destination: 'telemetry' },
    });
    const { body: first } = await test.request('GET', `/v1/pipelines/${pipelineId}/rejections?limit=1`);
    const { status, body } = await test.request(
      'GET',
      `/v1/pipelines/${other.id}/rejections?cursor=${first.nextCursor}`,
    );
    expect([status, body.code]).toEqual([400, 'cursor-mismatch']);
  });
});

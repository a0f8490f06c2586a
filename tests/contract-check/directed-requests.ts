import { gzipSync } from 'node:zlib';
import { readScopes, scopes, type Scope } from '#contract/scope.ts';
import { findByExternalIds, insertDevices } from '#service/devices/device-store.ts';
import { newId } from '#service/platform/storage/new-id.ts';
import { snappy, writeRequest } from '#tests/service/remote-write-body.ts';
import type { Operation } from './api-document.ts';
import type { ApiWorld, TestRequest, TestResponse } from './api-world.ts';

const UNKNOWN = '01jz3k5v8cf6n9qw2r4t7y0abd';
const MIB = 1_048_576;
/** Larger than any body may be, once it is inflated. */
const tooLarge = gzipSync(Buffer.alloc(21 * MIB, 0x20));

type Media = { example?: unknown };

/** What a valid request needs besides the example of the document: unused names and existing devices. */
const bodyFor = async (world: ApiWorld, operation: Operation): Promise<unknown> => {
  const content = Object.values(operation.requestBody?.content ?? {})[0] as Media | undefined;
  const example = content?.example as Record<string, unknown> | undefined;
  switch (operation.operationId) {
    case 'sessionsOpen':
      return { token: (await world.mint(['devices:read'])).secret };
    case 'devicesCreate':
    case 'devicesChange':
      return {
        ...example,
        name: world.unique('Device'),
        externalId: world.unique('device').replace(' ', '-'),
      };
    case 'apiKeysCreate':
      return { ...example, devices: [world.boilerId] };
    case 'pipelinesCreate':
    case 'pipelinesChange':
      return { ...example, name: world.unique('Pipeline'), type: 'http', config: {} };
    case 'destinationsCreate':
      return { ...example, name: world.unique('Destination') };
    case 'destinationsChange':
      return { name: world.unique('Destination'), url: 'mqtt://broker.example.com', options: { qos: 2 } };
    case 'webhooksCreate':
    case 'webhooksChange':
      return { ...example, name: world.unique('Webhook'), url: world.receiver.url };
    case 'otlpWrite':
      return otlpMetrics(world.unique('written').replace(' ', '-'));
    case 'prometheusWrite':
      return remoteWrite({ device: world.unique('written').replace(' ', '-') });
    case 'networksCreate':
      return { network: world.uniqueAddress(), ports: [502] };
    default:
      return example;
  }
};

/** With a device that is not registered yet, so that the request writes metadata too. */
const otlpMetrics = (device: string) => ({
  resourceMetrics: [
    {
      resource: { attributes: [{ key: 'device_id', value: { stringValue: device } }] },
      scopeMetrics: [{ metrics: [{ name: 'up', gauge: { dataPoints: [{ asInt: 1 }] } }] }],
    },
  ],
});

const remoteWrite = (labels: Record<string, string>): Uint8Array =>
  snappy(writeRequest([{ labels: { __name__: 'up', ...labels }, samples: [[1, Date.now()]] }]));
const isRemoteWrite = ({ operationId }: Operation): boolean => operationId === 'prometheusWrite';
const REMOTE_WRITE = { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' };

/** A request that the operation accepts. */
export const validRequest = async (world: ApiWorld, operation: Operation): Promise<TestRequest> => {
  const { operationId, method, path, parameters } = operation;
  const isOfBoiler = /^(telemetry|metrics)/.test(operationId);
  const isOfBuiltIn = operationId === 'destinationsTest';
  const isNone = !path.includes('{id}');
  const known = isNone ? '' : isOfBoiler ? world.boilerId : isOfBuiltIn ? world.builtInId : undefined;
  const id = known ?? (await world.makeFor(operation));
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name, schema }) => [name, String([schema.examples?.[0]].flat()[0])] as const);
  if (isOfBoiler) await world.sendSamples();
  // So that a successful test has a change to write.
  if (isOfBuiltIn)
    await world.test.service.parts.db
      .updateTable('destination')
      .set({ state: 'blocked' })
      .where('id', '=', id)
      .execute();
  if (operationId === 'devicesRestore') await world.send({ method: 'DELETE', path: `/v1/devices/${id}` });
  if (operationId.startsWith('rejections'))
    await world.send({ method: 'POST', path: `/v1/pipelines/${id}/messages`, body: 'nonsense' });
  const needsOwnSession = ['sessionsClose', 'sessionsChange'].includes(operationId);
  const body = operation.requestBody === undefined ? undefined : await bodyFor(world, operation);
  return {
    method,
    path: path
      .replace('{id}', id)
      .replace('{deviceType}', 'boiler')
      .replace('{externalId}', method === 'GET' ? 'boiler-7' : world.unique('put').replace(' ', '-'))
      .replace('{metric}', 'temperature'),
    query,
    body,
    ...(isRemoteWrite(operation) ? { headers: REMOTE_WRITE } : {}),
    ...(needsOwnSession ? { headers: { authorization: `Bearer ${await openSession(world)}` } } : {}),
  };
};

const openSession = async ({ send, mint }: ApiWorld): Promise<string> => {
  const { secret } = await mint(scopes);
  const { body } = await send({ method: 'POST', path: '/v1/sessions', body: { token: secret } });
  return (body as { token: string }).token;
};

const withHeaders = (request: TestRequest, headers: TestRequest['headers']): TestRequest => ({
  ...request,
  headers: { ...request.headers, ...headers },
});
const withField = (request: TestRequest, field: object): TestRequest => ({
  ...request,
  body: { ...(request.body as object), ...field },
});
const withQuery = (request: TestRequest, name: string, value: string): TestRequest => ({
  ...request,
  query: [...(request.query ?? []).filter(([other]) => other !== name), [name, value]],
});

let addresses = 0;
/** Loopback has more than one address, each with its own count of failures. */
const freshAddress = (): string => `127.0.${1 + (++addresses >> 7)}.${1 + (addresses & 127)}`;

/** Uses another token: in the header, or in the body of a sign-in. */
const withToken = (operation: Operation, request: TestRequest, token: string): TestRequest => ({
  ...(operation.operationId === 'sessionsOpen'
    ? withField(request, { token })
    : withHeaders(request, { authorization: `Bearer ${token}` })),
  from: freshAddress(),
});

const keysWithout = new Map<string, Promise<{ secret: string }>>();

/** Keeps the database busy until the returned function is called. Requests wait meanwhile. */
const holdDatabase = ({ test }: ApiWorld): Promise<() => void> =>
  new Promise((resolve) => {
    void test.service.parts.db.transaction().execute(() => new Promise<void>((release) => resolve(release)));
  });

type Direct = (world: ApiWorld, operation: Operation, request: TestRequest) => Promise<TestResponse>;

/** Applied to both: renames the second to the name of the first. */
const taken = async (
  { send }: ApiWorld,
  operation: Operation,
  request: TestRequest,
): Promise<TestResponse> => {
  if (operation.operationId === 'networksCreate') {
    await send(request);
    return send(request);
  }
  const name = operation.path.startsWith('/v1/devices') ? 'externalId' : 'name';
  const { tags: _, ...body } = request.body as Record<string, unknown>;
  const type = operation.operationId === 'destinationsChange' ? { type: 'mqtt' } : {};
  const holder: Record<string, unknown> = { ...body, ...type, [name]: `Taken-${++addresses}` };
  const create = operation.path.replace(/\/\{id\}$/, '');
  await send({ method: 'POST', path: create, body: holder });
  return send(withField(request, { [name]: holder[name] }));
};

/** A good request that reads or writes samples, whatever requests before it have left. */
export const telemetryRequest = async (world: ApiWorld, operation: Operation): Promise<TestRequest> => {
  const request = await validRequest(world, operation);
  const { operationId } = operation;
  // The tests of `query-too-large` have registered more devices than one export may cover.
  if (['telemetryRead', 'telemetryExport'].includes(operationId))
    return withQuery(request, 'device', world.boilerId);
  if (operationId === 'messagesSend') return withQuery(request, 'device', 'boiler-7');
  if (operationId === 'recentMessagesPreview') {
    const path = request.path?.replace(/\/preview$/, '') ?? '';
    await world.send({ method: 'POST', path, body: { device: 'boiler-7', values: { temperature: 71.5 } } });
    return request;
  }
  if (!operationId.startsWith('rejections')) return request;
  // A message that was rejected because its device was unknown yields samples once the device is registered.
  const pipeline = request.path?.split('/')[3] ?? '';
  const device = world.unique('registered-late').replace(' ', '-');
  await world.send({
    method: 'PATCH',
    path: `/v1/pipelines/${pipeline}`,
    body: { config: { onUnknownDevice: 'reject' } },
  });
  await world.send({
    method: 'POST',
    path: `/v1/pipelines/${pipeline}/messages`,
    body: { device, values: { temperature: 71.5 } },
  });
  await world.send({ method: 'PUT', path: `/v1/devices/by-external-id/${device}`, body: {} });
  return { ...request, body: { all: true } };
};

/** How each documented code is provoked. Codes of the connection, the disk or the stop are provoked elsewhere. */
export const directed: Record<string, Direct> = {
  'token-missing': ({ send }, _, request) => send(withHeaders(request, { authorization: undefined })),
  'token-invalid': ({ send }, operation, request) => send(withToken(operation, request, 'pen_key_none')),
  'token-expired': ({ send, expired }, operation, request) =>
    send(withToken(operation, request, expired.secret)),
  'token-revoked': ({ send, revoked }, operation, request) =>
    send(withToken(operation, request, revoked.secret)),
  'quota-exceeded': async ({ send }, operation, request) => {
    const wrong = withToken(operation, request, 'pen_key_none');
    let response = await send(wrong);
    for (let tries = 0; tries < 11 && response.status === 401; tries++) response = await send(wrong);
    return response;
  },
  'insufficient-scope': async ({ send, mint }, operation, request) => {
    const scope = operation['x-scope'] as Scope | 'any-read';
    const needed: readonly Scope[] = scope === 'any-read' ? readScopes : [scope];
    if (!keysWithout.has(scope))
      keysWithout.set(scope, mint(scopes.filter((other) => !needed.includes(other))));
    const { secret = '' } = (await keysWithout.get(scope)) ?? {};
    return send(withHeaders(request, { authorization: `Bearer ${secret}` }));
  },
  'invalid-parameter': ({ send }, _, request) => send(withQuery(request, 'surprise', '1')),
  'partial-write': ({ send }, operation, request) =>
    send({ ...request, body: isRemoteWrite(operation) ? remoteWrite({}) : 'nonsense' }),
  'cursor-mismatch': ({ send }, operation, request) => {
    if (operation.requestBody === undefined) return send(withQuery(request, 'cursor', 'none'));
    return operation.operationId === 'devicesBatch'
      ? send({ ...request, body: { operation: 'delete', filter: { q: 'nobody' }, cursor: 'none' } })
      : send(withField(request, { cursor: 'none' }));
  },
  'not-found': ({ send }, operation, request) => {
    const path = operation.path
      .replace('{externalId}', 'no%20id')
      .replace('{metric}', 'temperature')
      .replace('{deviceType}', 'nothing')
      .replace('{id}', `${request.path?.split('/')[3]?.slice(0, 3)}_${UNKNOWN}`);
    if (operation.path.includes('{')) return send({ ...request, path });
    return operation.method === 'POST'
      ? send(withField(request, { devices: ['nobody'] }))
      : send(withQuery(request, 'device', 'nobody'));
  },
  'not-acceptable': ({ send }, _, request) => send(withHeaders(request, { accept: 'image/png' })),
  'malformed-body': ({ send }, _, request) =>
    send(
      withHeaders({ ...request, body: 'not compressed' }, { 'content-encoding': 'gzip', ...request.headers }),
    ),
  'body-too-large': ({ send }, operation, request) =>
    isRemoteWrite(operation)
      ? send({ ...request, body: snappy(new Uint8Array(21 * MIB)) })
      : send(withHeaders({ ...request, body: tooLarge }, { 'content-encoding': 'gzip' })),
  'unsupported-media-type': ({ send }, _, request) =>
    send(withHeaders(request, { 'content-encoding': 'zstd' })),
  'validation-failed': ({ send }, operation, request) =>
    send({
      ...request,
      body: operation.operationId === 'otlpWrite' ? { resourceMetrics: 1 } : { surprise: 1 },
    }),
  'idempotency-key-reused': async ({ send }, operation, request) => {
    const once = withHeaders(request, { 'idempotency-key': `reused ${operation.operationId}` });
    await send(once);
    const others: Record<string, object> = {
      apiKeysRotate: { overlapSeconds: 1 },
      networksCreate: { ports: [503] },
    };
    const other = others[operation.operationId] ?? { name: 'Another' };
    return send(withField(once, other));
  },
  'idempotency-in-progress': async (world, operation) => {
    for (let tries = 0; ; tries++) {
      const request = withHeaders(await validRequest(world, operation), {
        'idempotency-key': `racing ${operation.operationId} ${tries}`,
      });
      const release = await holdDatabase(world);
      const racing = Promise.all([1, 2, 3].map(() => world.send(request)));
      await world.send({ path: '/v1/nothing' });
      release();
      const response = await racing;
      const late = response.find(({ status }) => status === 409);
      if (late !== undefined || tries >= 50) return late ?? response[0]!;
    }
  },
  'precondition-failed': async (world, operation, request) => {
    // What is put has to be there to be another revision.
    if (operation.method === 'PUT') await world.send(request);
    return world.send(withHeaders(request, { 'if-match': '"r999"' }));
  },
  conflict: async (world, operation, request) => {
    if (operation.method !== 'DELETE') return taken(world, operation, request);
    const id = request.path?.split('/').at(-1) ?? '';
    const { db } = world.test.service.parts;
    if (operation.operationId === 'destinationsRemove') {
      const { body } = await world.send({ path: `/v1/destinations/${id}` });
      const destination = (body as { name: string }).name;
      const user = { name: world.unique('User'), type: 'http', interval: 60, destination };
      await world.send({ method: 'POST', path: '/v1/pipelines', body: user });
    } else await db.updateTable('pipeline').set({ pending: 1, received: 1 }).where('id', '=', id).execute();
    return world.send(request);
  },
  'invalid-state': async ({ send, mint, revoked, builtInId }, operation, request) => {
    if (operation.operationId === 'apiKeysRotate')
      return send({ ...request, path: `/v1/api-keys/${revoked.id}/rotate` });
    if (operation.operationId === 'apiKeysRevoke') {
      const used = await mint(['devices:read']);
      await send({ path: '/v1/devices', headers: { authorization: `Bearer ${used.secret}` } });
      return send(withQuery({ ...request, path: `/v1/api-keys/${used.id}` }, 'unused', 'true'));
    }
    if (operation.operationId === 'sessionsChange') {
      const { secret } = await mint(['devices:read']);
      return send(withHeaders(request, { authorization: `Bearer ${secret}` }));
    }
    if (operation.path.startsWith('/v1/destinations'))
      return send({ ...request, path: `/v1/destinations/${builtInId}` });
    if (operation.operationId === 'recentMessagesPreview')
      return send({ ...request, body: { change: { type: 'unknown' } } });
    const [, , resources = '', id = ''] = request.path?.split('/') ?? [];
    // A paused pipeline replays; a draft does not.
    const change = operation.operationId.startsWith('rejections') ? { type: 'unknown' } : { enabled: false };
    await send({ method: 'PATCH', path: `/v1/${resources}/${id}`, body: change });
    return send(request);
  },
  'destination-forbidden': ({ send }, operation, request) => {
    const url = 'http://169.254.169.254/latest';
    if (operation.operationId.startsWith('destinations'))
      return send(withField(request, { url: 'mqtt://169.254.169.254' }));
    const isPipeline = operation.operationId.startsWith('pipelines');
    return send(withField(request, isPipeline ? { type: 'http-poll', config: { url } } : { url }));
  },
  'query-too-large': async (world, operation, request) => {
    const fine = { from: '-1d', to: 'now', bucket: '1s' };
    if (operation.operationId === 'sampleCountsCount')
      return world.send({ ...request, body: { devices: await findWithManyMetrics(world) } });
    if (operation.method === 'POST') return world.send({ ...request, body: fine });
    if (operation.operationId === 'telemetryRead')
      return world.send({ ...request, query: Object.entries(fine) });
    if (operation.operationId === 'sparklinesList' || operation.operationId === 'telemetryLatest') {
      const names = await findWithManyMetrics(world);
      return world.send({ ...request, query: names.map((name) => ['device', name]) });
    }
    await registerMany(world);
    return world.send(request);
  },
};

const withManyMetrics = new WeakMap<ApiWorld, Promise<string[]>>();

/** Three devices with more metrics together than a request reads latest values of. Returns their external IDs. */
const findWithManyMetrics = (world: ApiWorld): Promise<string[]> => {
  const names = withManyMetrics.get(world) ?? registerWithManyMetrics(world);
  withManyMetrics.set(world, names);
  return names;
};

const registerWithManyMetrics = async ({ test }: ApiWorld): Promise<string[]> => {
  const names = ['metrics-0', 'metrics-1', 'metrics-2'];
  const samples = names.flatMap((device) =>
    Array.from({ length: 35 }, (_, part) => ({
      device,
      values: Object.fromEntries(Array.from({ length: 200 }, (__, n) => [`m-${part}-${n}`, n])),
    })),
  );
  await test.request('POST', '/v1/telemetry', { body: { samples } });
  return names;
};

/** More devices than one export may be about: copies of one that is there, without the events of a registration. */
const registerMany = async ({ test }: ApiWorld): Promise<void> => {
  const { db } = test.service.parts;
  const copied = await findByExternalIds(db, ['boiler-8']);
  const rows = Array.from({ length: 11_000 }, (_, index) =>
    copied.map((row) => ({ ...row, seq: undefined, id: newId('dev'), external_id: `many-${index}` })),
  );
  await insertDevices(db, rows.flat());
};

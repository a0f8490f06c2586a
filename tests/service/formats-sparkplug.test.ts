import fc from 'fast-check';
import mqtt from 'mqtt';
import sparkplug from 'sparkplug-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLearned, learnedForPreview, type Learned } from '#service/pipelines/formats/learned.ts';
import { createSparkplugSessions } from '#service/pipelines/formats/sparkplug-sessions.ts';
import { freePort } from './free-port.ts';
import { readToSamples } from './read-to-samples.ts';
import { sparkplugPayload } from './sparkplug-message.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const TS = Date.parse('2026-11-21T09:30:00Z');
const bdSeq = { name: 'bdSeq', datatype: 8, long: 3n };
const nodeBirth = sparkplugPayload(
  [
    bdSeq,
    { name: 'Node Control/Rebirth', datatype: 11, bool: false },
    { name: 'Temperature', alias: 1, datatype: 9, float: 21.5, unit: '°C' },
    { name: 'Inputs/A', alias: 2, datatype: 11, bool: true },
  ],
  { seq: 0, ts: TS },
);
const deviceBirth = sparkplugPayload([{ name: 'Level', alias: 7, datatype: 3, int: 0xff_ff_ff_fb }], {
  seq: 1,
  ts: TS,
});

/** A pipeline that has read messages of Sparkplug, and the nodes that it has asked for a birth. */
const host = (nowMs = () => TS) => {
  const asked: string[] = [];
  const sessions = createSparkplugSessions((node) => asked.push(node));
  const learned = createLearned(() => undefined, sessions);
  const read = (topic: string, bytes: Buffer, as: Learned = learned) =>
    readToSamples({ bytes, topic: `spBv1.0/${topic}` }, { nowMs: nowMs(), learned: as });
  return { read, asked, learned };
};
const reasons = ({ rejections }: ReturnType<typeof readToSamples>) => rejections.map(({ reason }) => reason);

describe('Sparkplug B', () => {
  test('has names, types and units of aliases from births', () => {
    const { read, asked } = host();
    const birth = read('plant/NBIRTH/edge', nodeBirth);
    expect(birth).toMatchObject({ format: 'sparkplug', rejections: [] });
    expect(birth.samples).toEqual([
      { device: 'plant:edge', ts: TS, values: { 'sparkplug.state': 'online' } },
      { device: 'plant:edge', ts: TS, values: { Temperature: 21.5, 'Inputs/A': true } },
    ]);
    expect([...birth.units]).toEqual([['plant:edge/Temperature', '°C']]);
    expect(read('plant/DBIRTH/edge/tank', deviceBirth).samples.at(-1)).toEqual({
      device: 'plant:edge:tank',
      ts: TS,
      values: { Level: -5 },
    });
    const data = sparkplugPayload(
      [
        { alias: 1, timestamp: TS + 5, float: 22 },
        { alias: 2, bool: false },
      ],
      { seq: 2, ts: TS + 10 },
    );
    expect(read('plant/NDATA/edge', data).samples).toEqual([
      { device: 'plant:edge', ts: TS + 5, values: { Temperature: 22 } },
      { device: 'plant:edge', ts: TS + 10, values: { 'Inputs/A': false } },
    ]);
    const level = sparkplugPayload([{ alias: 7, int: 12 }], { seq: 3, ts: TS + 20 });
    expect(read('plant/DDATA/edge/tank', level).samples).toEqual([
      { device: 'plant:edge:tank', ts: TS + 20, values: { Level: 12 } },
    ]);
    expect(asked).toEqual([]);
  });

  test.each([
    [{ datatype: 1, int: 0xff }, -1],
    [{ datatype: 2, int: 0xff_fe }, -2],
    [{ datatype: 3, int: 0xff_ff_ff_fd }, -3],
    [{ datatype: 4, long: 0xff_ff_ff_ff_ff_ff_ff_fcn }, -4],
    [{ datatype: 7, int: 4_294_967_295 }, 4_294_967_295],
    [{ datatype: 8, long: 5n }, 5],
    [{ datatype: 10, double: 0.1 }, 0.1],
    [{ datatype: 12, text: 'on' }, 'on'],
    [{ datatype: 13, long: BigInt(TS) }, TS],
  ])('has values of all simple types: %o', (metric, value) => {
    const { read } = host();
    const payload = sparkplugPayload([{ name: 'x', ...metric }], { seq: 0, ts: TS });
    expect(read('g/NBIRTH/n', payload).samples.at(-1)?.values).toEqual({ x: value });
  });

  test('has no value of other types, and rejects a number that is not exact', () => {
    const { read } = host();
    const payload = sparkplugPayload(
      [
        { name: 'a', datatype: 17, bytes: Buffer.from('x') },
        { name: 'b', datatype: 9, isNull: true },
        { name: 'c', datatype: 8, long: 2n ** 60n },
      ],
      { seq: 0, ts: TS },
    );
    const result = read('g/NBIRTH/n', payload);
    expect([result.noValues, reasons(result)]).toEqual([2, ['unsafe-integer']]);
  });

  test('asks for a birth where one or another message is missing, and never guesses an alias', () => {
    let nowMs = TS;
    const { read, asked } = host(() => nowMs);
    const data = (seq: number) =>
      sparkplugPayload(
        [
          { alias: 1, float: 1 },
          { name: 'y', datatype: 3, int: 4 },
        ],
        { seq, ts: TS },
      );
    const unknown = read('g/NDATA/n', data(5));
    expect(reasons(unknown)).toEqual(['birth-missing']);
    expect(unknown.samples).toEqual([{ device: 'g:n', ts: TS, values: { y: 4 } }]);
    read('g/NDATA/n', data(6));
    expect(asked).toEqual(['g/n']);
    read('g/NBIRTH/n', nodeBirth);
    expect(reasons(read('g/NDATA/n', data(1)))).toEqual([]);
    nowMs += 10_000;
    expect(reasons(read('g/NDATA/n', data(3)))).toEqual(['birth-missing']);
    expect(asked).toEqual(['g/n', 'g/n']);
    expect(reasons(read('g/NDATA/n', data(4)))).toEqual(['birth-missing']);
    expect(reasons(read('other/NDATA/n', data(1)))).toEqual(['birth-missing']);
  });

  test('has deaths of a node with its devices, but not of an earlier connection', () => {
    const { read } = host();
    read('g/NBIRTH/n', nodeBirth);
    read('g/DBIRTH/n/d', deviceBirth);
    const death = (seq: bigint) => sparkplugPayload([{ ...bdSeq, long: seq }], { ts: TS - 60_000 });
    expect(read('g/NDEATH/n', death(2n))).toMatchObject({ isSkipped: true, samples: [] });
    expect(read('g/NDEATH/n', death(3n)).samples).toEqual([
      { device: 'g:n', values: { 'sparkplug.state': 'offline' } },
      { device: 'g:n:d', values: { 'sparkplug.state': 'offline' } },
    ]);
    const late = sparkplugPayload([{ alias: 1, float: 1 }], { seq: 2, ts: TS });
    expect(reasons(read('g/NDATA/n', late))).toEqual(['birth-missing']);
  });

  test('skips commands and states of hosts, and rejects other bytes', () => {
    const { read } = host();
    expect(read('g/NCMD/n', sparkplugPayload([])).isSkipped).toBe(true);
    expect(read('STATE/scada', Buffer.from('{"online":true}')).isSkipped).toBe(true);
    expect(reasons(read('g/NDATA/n', Buffer.from('{"a":1}')))).toEqual(['malformed-payload']);
  });

  test('reads data with names and without types by the types of the birth', () => {
    const { read } = host();
    read('g/NBIRTH/n', sparkplugPayload([{ name: 'Temp', datatype: 9, float: 20 }], { seq: 0, ts: TS }));
    const { samples } = read(
      'g/NDATA/n',
      sparkplugPayload([{ name: 'Temp', float: 22 }], { seq: 1, ts: TS }),
    );
    expect(samples.map(({ values }) => Object.values(values))).toEqual([[22]]);
  });

  test('reads times in ms, also those of a clock that began in 1970', () => {
    const { read } = host();
    const birth = sparkplugPayload([{ name: 'x', datatype: 3, int: 1 }], { seq: 0, ts: 1_728_000_000 });
    const { samples } = read('g/NBIRTH/n', birth);
    expect(samples.map(({ ts }) => ts)).toEqual([1_728_000_000, 1_728_000_000]);
  });

  test('keeps devices apart whose names contain the separator', () => {
    const { read } = host();
    const payload = sparkplugPayload([{ name: 'x', datatype: 3, int: 1 }], { seq: 0, ts: TS });
    const devices = ['a:b/NBIRTH/c', 'a/NBIRTH/b:c'].map((topic) => read(topic, payload).samples[0]?.device);
    expect(new Set(devices).size).toBe(2);
  });

  test('does not resolve aliases in a preview, and limits the births in memory', () => {
    const { read, learned } = host();
    read('g/NBIRTH/n', nodeBirth);
    const data = sparkplugPayload([{ alias: 1, float: 1 }], { seq: 1, ts: TS });
    expect(reasons(read('g/NDATA/n', data, learnedForPreview(learned)))).toEqual(['birth-missing']);
    const large = sparkplugPayload(
      Array.from({ length: 40_000 }, (_, alias) => ({ name: `bdSeq${alias}`, alias, isNull: true as const })),
      { seq: 0 },
    );
    const last = ['a', 'b', 'c'].map((node) => reasons(read(`g/NBIRTH/${node}`, large))).at(-1);
    expect(last).toEqual(['learned-limit']);
  });

  test('never throws, whatever the bytes', () => {
    const { read } = host();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        read('g/NBIRTH/n', Buffer.from(bytes));
        read('g/NDATA/n', Buffer.concat([nodeBirth.subarray(0, bytes.length * 2), bytes]));
      }),
    );
  });
});

describe('over MQTT', () => {
  let service: TestService;
  let port: number;
  let secret: string;
  beforeAll(async () => {
    port = await freePort();
    service = await startTestService({ env: { MQTT_PORT: String(port) } });
    const config = { topic: 'spBv1.0/#' };
    await service.request('POST', '/v1/pipelines', {
      body: { name: 'Sparkplug', type: 'mqtt', interval: 5, destination: 'telemetry', config },
    });
    ({ secret } = await service.mintKey(['telemetry:write', 'telemetry:read']));
  });
  afterAll(() => service.close());
  const valuesOf = async (device: string): Promise<Record<string, unknown>> => {
    const { body } = await service.request('GET', `/v1/telemetry/latest?device=${device}`);
    return Object.fromEntries(
      (body.data ?? []).map(({ metric, value }: { metric: string; value: unknown }) => [metric, value]),
    );
  };

  test('an edge node is asked for its birth, which explains its aliases', async () => {
    const node = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, { username: 'edge', password: secret });
    const asked = Promise.withResolvers<Buffer>();
    node.on('message', (_, payload) => asked.resolve(payload));
    await node.subscribeAsync('spBv1.0/plant/NCMD/edge');
    const publish = (type: string, bytes: Buffer) =>
      node.publishAsync(`spBv1.0/plant/${type}/edge`, bytes, { qos: 1 });
    const data = (seq: number) => sparkplugPayload([{ alias: 1, float: 23 }], { seq, ts: TS + 1 });
    await publish('NDATA', data(7));
    expect((await asked.promise).toString()).toContain('Node Control/Rebirth');
    await publish('NBIRTH', nodeBirth);
    await publish('NDATA', data(1));
    expect(await valuesOf('plant:edge')).toMatchObject({ Temperature: 23 });
    await node.endAsync(true);
  });

  test('the client of Eclipse Tahu is read from its birth to its death', async () => {
    const client = sparkplug.newClient({
      serverUrl: `mqtt://127.0.0.1:${port}`,
      username: 'tahu',
      password: secret,
      groupId: 'Works',
      edgeNode: 'Line 1',
      clientId: 'tahu',
      publishDeath: true,
    });
    client.on('birth', () => {
      client.publishNodeBirth({
        timestamp: TS,
        metrics: [{ name: 'Uptime', alias: 1, value: 5, type: 'Int64' }],
      });
      client.publishDeviceBirth('Tank', {
        timestamp: TS,
        metrics: [
          { name: 'Level', alias: 2, value: -3, type: 'Int16' },
          { name: 'Pump/On', value: true, type: 'Boolean' },
          { name: 'Mode', value: 'auto', type: 'String' },
        ],
      });
      client.publishDeviceData('Tank', {
        timestamp: TS + 1,
        metrics: [{ alias: 2, value: -7, type: 'Int16' }],
      });
    });
    await expect
      .poll(() => valuesOf('works:line-1:tank'))
      .toEqual({ 'sparkplug.state': 'online', Level: -7, 'Pump/On': true, Mode: 'auto' });
    expect(await valuesOf('works:line-1')).toEqual({ 'sparkplug.state': 'online', Uptime: 5 });
    client.stop();
    for (const device of ['works:line-1', 'works:line-1:tank'])
      await expect.poll(async () => (await valuesOf(device))['sparkplug.state']).toBe('offline');
  });
});

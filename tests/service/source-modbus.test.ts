import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from './free-port.ts';
import { waitForPort } from './mosquitto.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const PYTHON = '/usr/bin/python3';
const hasPymodbus = spawnSync(PYTHON, ['-c', 'import pymodbus.server']).status === 0;

let test: TestService;
beforeAll(async () => {
  test = await startTestService({ env: { ALLOWED_NETWORKS: '127.0.0.0/8' } });
});
afterAll(() => test.close());

const create = async (name: string, config: Record<string, unknown>) =>
  (
    await test.request('POST', '/v1/pipelines', {
      body: {
        name,
        type: 'modbus',
        interval: 1,
        destination: 'telemetry',
        config: { host: '127.0.0.1', ...config },
      },
    })
  ).body;
const read = async (id: string) => (await test.request('GET', `/v1/pipelines/${id}`)).body;
const latestOf = async (device: string) => {
  const { body } = await test.request('GET', `/v1/telemetry/latest?device=${device}`);
  const values = (body.data ?? []) as { metric: string; value: unknown }[];
  return Object.fromEntries(values.map(({ metric, value }) => [metric, value]));
};

describe.skipIf(!hasPymodbus)('a Modbus device', () => {
  let port: number;
  let device: ChildProcess;
  const start = async () => {
    device = spawn(PYTHON, [join(import.meta.dirname, 'modbus-server.py'), String(port)], {
      stdio: 'ignore',
    });
    await waitForPort(port);
  };
  beforeAll(async () => {
    port = await freePort();
    await start();
  });
  afterAll(() => void device.kill('SIGKILL'));

  it('is read, whatever its registers contain', async () => {
    const { id } = await create('Meter 7', {
      port,
      registers: [
        { metric: 'plain', address: 0 },
        { metric: 'scaled', address: 0, scale: 0.1, offset: -1 },
        { metric: 'i16', address: 1, type: 'int16' },
        { metric: 'u32', address: 2, type: 'uint32' },
        { metric: 'u32-little', address: 4, type: 'uint32', wordOrder: 'little' },
        { metric: 'f32', address: 6, type: 'float32' },
        { metric: 'f64', address: 8, type: 'float64' },
        { metric: 'u64', address: 12, type: 'uint64' },
        { metric: 'i64', address: 16, type: 'int64' },
        { metric: 'i32', address: 24, type: 'int32' },
        { metric: 'flag', address: 0, type: 'bool' },
        ...Array.from({ length: 130 }, (_, n) => ({ metric: `in-${n}`, address: n, kind: 'input' })),
        ...Array.from({ length: 12 }, (_, n) => ({ metric: `coil-${n}`, address: n, kind: 'coil' })),
        { metric: 'discrete-2', address: 2, kind: 'discrete', type: 'bool' },
        { metric: 'discrete-3', address: 3, kind: 'discrete' },
      ],
    });
    await vi.waitFor(
      async () =>
        expect(await latestOf('meter-7')).toEqual({
          plain: 215,
          scaled: 20.5,
          i16: -50,
          u32: 100_000,
          'u32-little': 100_000,
          f32: 20.1,
          f64: 20.1,
          u64: 65_536,
          i64: -2,
          i32: -2,
          flag: true,
          ...Object.fromEntries(Array.from({ length: 130 }, (_, n) => [`in-${n}`, n])),
          ...Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`coil-${n}`, n % 3 === 0])),
          'discrete-2': true,
          'discrete-3': false,
        }),
      20_000,
    );
    expect(await read(id)).toMatchObject({ state: 'running', lastError: null, ledger: { rejected: 0 } });
    const { body } = await test.request('GET', '/v1/devices?q=meter-7');
    expect(body.data).toMatchObject([{ name: 'Meter 7', expectedInterval: 1 }]);
  });

  it('rejects only the samples that it cannot return, each with its reason', async () => {
    const { id } = await create('Partly', {
      port,
      device: 'partly',
      registers: [
        { metric: 'there', address: 27 },
        { metric: 'missing', address: 28 },
        { metric: 'huge', address: 20, type: 'int64' },
        { metric: 'nan', address: 26, type: 'float32' },
      ],
    });
    await vi.waitFor(async () => expect(await latestOf('partly')).toEqual({ there: 0 }), 20_000);
    const readDetails = async () => {
      const { body } = await test.request('GET', `/v1/pipelines/${id}/rejections`);
      return new Map(body.data.map((each: { reason: string; detail: string }) => [each.reason, each.detail]));
    };
    await expect.poll(readDetails).toEqual(
      new Map([
        [
          'modbus-exception',
          'missing: Holding register 28: the device has no register at this address (illegal data address).',
        ],
        ['unsafe-integer', expect.stringContaining('huge: 9223372036854775807 is beyond 2^53')],
        ['not-finite', 'nan: NaN is not a finite number.'],
      ]),
    );
    const { ledger } = await read(id);
    expect(ledger.received).toBe(ledger.delivered + ledger.rejected);
    expect(ledger.rejected).toBe(3 * ledger.delivered);
    await test.request('DELETE', `/v1/pipelines/${id}`);
  });

  it('is tested with the registers that it rejects, and the address that a manual may mean', async () => {
    const testOf = async (...registers: { metric: string; address: number }[]) => {
      const { body } = await test.request('POST', '/v1/pipelines/test', {
        body: {
          name: 'Trial',
          type: 'modbus',
          interval: 1,
          destination: 'telemetry',
          config: { host: '127.0.0.1', port, registers },
        },
      });
      const mapping = body.steps.find(({ step }: { step: string }) => step === 'mapping');
      return { ...mapping, message: body.message?.message };
    };
    const absent = 'the device has no register at this address (illegal data address).';
    expect(await testOf({ metric: 'there', address: 27 }, { metric: 'missing', address: 28 })).toMatchObject({
      ok: true,
      detail: `1 sample from 1 device; 1 rejected: Holding register 28: ${absent}`,
      pointer: '/config/registers',
      message: '{"device":"trial","values":{"there":0}}',
    });
    expect(await testOf({ metric: 'missing', address: 40_005 })).toMatchObject({
      ok: false,
      detail: `Holding register 40005: ${absent} In manuals, 40005 usually means address 4.`,
      pointer: '/config/registers',
      // The text of what the device rejected would preview as samples.
      message: undefined,
    });
  });

  it('is read again after an outage', async () => {
    const { id } = await create('Away', {
      port,
      device: 'away',
      registers: [{ metric: 'plain', address: 0 }],
    });
    await vi.waitFor(async () => expect(await latestOf('away')).toEqual({ plain: 215 }), 20_000);
    device.kill('SIGKILL');
    await vi.waitFor(
      async () =>
        expect(await read(id)).toMatchObject({
          state: 'degraded',
          lastError: { detail: expect.stringMatching(/refused the connection|closed the connection/) },
        }),
      20_000,
    );
    const before = (await read(id)).ledger.received;
    await start();
    await vi.waitFor(async () => expect((await read(id)).ledger.received).toBeGreaterThan(before), 20_000);
  });
});

it.each<[string, (socket: Socket) => void, RegExp]>([
  [
    'speaks something else',
    (socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
    /does not speak Modbus/,
  ],
  ['closes', (socket) => void socket.once('data', () => socket.destroy()), /closed the connection/],
  [
    'is busy',
    (socket) =>
      void socket.on('data', (request) => {
        const answer = Buffer.from(request.subarray(0, 9));
        answer.writeUInt16BE(3, 4);
        answer[7] = 0x83;
        answer[8] = 6;
        socket.write(answer);
      }),
    /is busy/,
  ],
])('a device that %s is reported', async (name, behave, words) => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    behave(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  const { id } = await create(name, { port, registers: [{ metric: 'x', address: 0 }] });
  await vi.waitFor(
    async () =>
      expect(await read(id)).toMatchObject({
        state: 'degraded',
        lastError: { detail: expect.stringMatching(words) },
        ledger: { received: 0 },
      }),
    20_000,
  );
  await test.request('DELETE', `/v1/pipelines/${id}`);
});

it('forbidden addresses and invalid configs are reported', async () => {
  const body = { name: 'Forbidden', type: 'modbus', interval: 1, destination: 'telemetry' };
  const config = { host: '10.0.0.20', registers: [{ metric: 'x', address: 0 }] };
  const forbidden = await test.request('POST', '/v1/pipelines', { body: { ...body, config } });
  expect([forbidden.status, forbidden.body.code, forbidden.body.errors[0].pointer]).toEqual([
    422,
    'destination-forbidden',
    '/config/host',
  ]);
  const { state, problems } = await create('Wrong', {
    port: 0,
    registers: [
      { metric: 'x', address: 70_000 },
      { metric: 'y', address: 0, kind: 'coil', type: 'uint16' },
      { metric: 'z', address: 0, bits: 3 },
    ],
  });
  expect(state).toBe('draft');
  expect(problems.map(({ pointer }: { pointer: string }) => pointer).toSorted()).toEqual([
    '/config/port',
    '/config/registers/0/address',
    '/config/registers/1/type',
    '/config/registers/2/bits',
  ]);
  const ported = await create('Ported', { host: '127.0.0.1:502', registers: config.registers });
  expect(ported.problems).toEqual([
    { pointer: '/config/host', detail: 'Must not include a port. Enter it under Port.' },
  ]);
  const twice = await create('Twice', {
    registers: [
      { metric: 'x', address: 1 },
      { metric: 'x', address: 2 },
    ],
  });
  expect(twice.problems).toEqual([
    { pointer: '/config/registers/1/metric', detail: 'x appears more than once.' },
  ]);
});

import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { problemSchema } from '#contract/problem.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const MIB = 1_048_576;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const open: Socket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
});

/** Announces a body and sends none of it. */
const announce = (bytes: number) => {
  const { hostname, port, host } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(
    `POST /v1/telemetry HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: text/csv\r\nContent-Length: ${bytes}\r\n\r\n`,
  );
  open.push(socket);
};

const send = (body: string) =>
  service.request('POST', '/v1/telemetry', { body, headers: { 'content-type': 'text/csv' } });
/** Malformed, so that it is answered at once, with 400 if there is room. */
const sendLarge = () => send('x'.repeat(MIB / 4));

const untilLarge = (status: number) => expect.poll(async () => (await sendLarge()).status).toBe(status);

test('bodies in flight share a memory budget, above which large bodies get 503', async () => {
  for (let count = 0; count < 12; count += 1) announce(5 * MIB);
  announce(4 * MIB);
  await untilLarge(503);
  const refused = await sendLarge();
  expect(problemSchema.parse(refused.body)).toMatchObject({ code: 'overloaded' });
  expect(refused.headers.get('retry-after')).toBe('1');

  // Small ones have room of their own.
  expect((await send('ts,device,metric,value\n1700000000000,boiler,temperature,1\n')).status).toBe(200);

  for (const socket of open.splice(0)) socket.destroy();
  await untilLarge(400);
});

test('the bytes of answered requests are released', async () => {
  const body = 'x'.repeat(4.9 * MIB);
  for (let count = 0; count < 15; count += 1) {
    const answer = await send(body);
    expect(answer.body).toMatchObject({ status: 400, code: 'malformed-body' });
  }
});

test('bodies that exceed their limit after decompression release their bytes, even if more data arrives', async () => {
  const body = gzipSync(Buffer.alloc(21 * MIB, 0x20));
  for (let count = 0; count < 8; count += 1) {
    const answer = await fetch(`${service.url}/v1/devices`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${service.token}`,
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
      body,
    });
    expect(await answer.json()).toMatchObject({ code: 'body-too-large' });
  }
  await untilLarge(400);
});

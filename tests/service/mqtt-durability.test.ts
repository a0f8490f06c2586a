import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mqtt from 'mqtt';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { MAIN } from './built-service.ts';
import { freePort } from './free-port.ts';
import { programEnv } from './program-env.ts';
import { signinTokenIn } from './signin-token.ts';
import { isFullRun } from './sized.ts';

let dataDir: string;
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'penstock-mqtt-'));
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

/** The service as a process of its own, which can be killed; resolves once it listens. */
const start = async (port: number, mqttPort: number) => {
  const child = spawn(process.execPath, [MAIN], {
    env: {
      ...programEnv,
      DATA_DIR: dataDir,
      PORT: String(port),
      MQTT_PORT: String(mqttPort),
      SEED: 'none',
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const output = { out: '', log: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output.log += chunk.toString()));
  await expect.poll(() => output.log).toContain('"listening"');
  return {
    readSigninToken: () => signinTokenIn(() => output.out),
    kill: () => {
      child.kill('SIGKILL');
      return exited;
    },
  };
};

test('messages acknowledged over MQTT are stored and counted after a kill, and every ledger balances', async () => {
  const [port, mqttPort] = [await freePort(), await freePort()];
  let token = '';
  const request = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return response.json();
  };

  let service = await start(port, mqttPort);
  ({ token } = await request('POST', '/v1/sessions', { token: await service.readSigninToken() }));
  const { secret: reader } = await request('POST', '/v1/api-keys', {
    name: 'Valve',
    scopes: ['telemetry:write', 'telemetry:read'],
  });
  /** A client that keeps its session. Resolves with the messages that have arrived once there are `count`. */
  const receive = async (count: number): Promise<string[]> => {
    const valve = mqtt.connect(`mqtt://127.0.0.1:${mqttPort}`, {
      username: 'valve',
      clientId: 'valve',
      clean: false,
      password: reader,
      reconnectPeriod: 0,
    });
    const messages: string[] = [];
    valve.on('message', (topic, payload, { retain }) =>
      messages.push(`${retain ? 'retained ' : ''}${topic} ${String(payload)}`),
    );
    await new Promise((resolve) => {
      valve.once('connect', resolve);
    });
    await valve.subscribeAsync(['v1/devices/me/commands', 'kept/+'], { qos: 1 });
    await expect.poll(() => messages.length).toBeGreaterThanOrEqual(count);
    await valve.endAsync();
    return messages;
  };
  await receive(0);
  const { id } = await request('POST', '/v1/pipelines', {
    name: 'Kill',
    type: 'mqtt',
    interval: 5,
    destination: 'telemetry',
  });
  const { secret } = await request('POST', '/v1/api-keys', { name: 'Kill', scopes: ['telemetry:write'] });

  const acknowledged: number[] = [];
  let unrouted = 0;
  let next = 0;
  for (const acknowledgements of isFullRun ? [1, 150, 600] : [1, 150]) {
    const client = mqtt.connect(`mqtt://127.0.0.1:${mqttPort}`, {
      username: 'kill',
      password: secret,
      reconnectPeriod: 0,
    });
    client.on('error', () => undefined);
    const goal = acknowledged.length + acknowledgements;
    await new Promise<void>((resolve) => {
      const publish = () => {
        const n = next++;
        // Every tenth is rejected.
        const values = n % 10 === 9 ? { n: 'text' } : { n };
        client.publish(
          'v1/devices/me/telemetry',
          JSON.stringify({ ts: 1_700_000_000_000 + n, values }),
          { qos: 1 },
          (error) => {
            if (error) return;
            acknowledged.push(n);
            if (acknowledged.length === goal) resolve();
            publish();
          },
        );
      };
      for (let inFlight = 0; inFlight < 50; inFlight++) publish();
    });
    for (let message = 0; message < 20; message++) {
      await client.publishAsync('tele/kill/LWT', 'Online', { qos: 1 });
      unrouted += 1;
    }
    const round = `after ${acknowledged.length}`;
    await client.publishAsync('v1/devices/valve/commands', round, { qos: 1 });
    await client.publishAsync('kept/round', round, { qos: 1, retain: true });
    // The command has a subscriber.
    unrouted += 1;
    await service.kill();
    await client.endAsync(true);

    service = await start(port, mqttPort);
    const { ledger } = await request('GET', `/v1/pipelines/${id}`);
    expect(ledger.received).toBe(ledger.delivered + ledger.pending + ledger.rejected);
    expect(ledger.received).toBeGreaterThanOrEqual(acknowledged.length);
    const recorded = await request('GET', '/v1/unrouted');
    expect(recorded.data.reduce((sum: number, { messages }: { messages: number }) => sum + messages, 0)).toBe(
      unrouted,
    );
    // For the session that was away, before and after the retained message of its subscription.
    expect(await receive(3)).toEqual([
      `v1/devices/me/commands ${round}`,
      `kept/round ${round}`,
      `retained kept/round ${round}`,
    ]);
    const { series } = await request(
      'GET',
      '/v1/telemetry?device=kill&metric=n&from=1700000000000&to=1700000100000&points=5000',
    );
    const stored = new Set<number>(series[0].value);
    expect(acknowledged.filter((n) => n % 10 !== 9 && !stored.has(n))).toEqual([]);
  }
  await service.kill();
  // Starts the service three times, which takes most of a minute on a slow machine beside the other tests.
}, 180_000);

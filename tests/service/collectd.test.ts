import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { freePort } from './free-port.ts';
import { findProgram } from './installed.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const dir = mkdtempSync(join(tmpdir(), 'penstock-collectd-'));
const program = findProgram('collectd');

/** Whether collectd and the libraries of its plugins are installed, which Debian only recommends. */
const canRun = (): boolean => {
  const config = join(dir, 'plugins.conf');
  writeFileSync(config, `BaseDir "${dir}"\nLoadPlugin write_http\nLoadPlugin mqtt\n`);
  const { stderr, status } = spawnSync(program ?? '', ['-t', '-C', config], { encoding: 'utf8' });
  return status === 0 && !stderr.includes('failed');
};

describe.skipIf(program === undefined || !canRun())('collectd', () => {
  let service: TestService;
  let collectd: ChildProcess | undefined;
  const mqttPort = freePort();
  beforeAll(async () => {
    service = await startTestService({ env: { MQTT_PORT: String(await mqttPort) } });
  });
  afterAll(async () => {
    const ended = new Promise((resolve) => collectd?.once('exit', resolve));
    if (collectd?.kill('SIGKILL') === true) await ended;
    await service.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const create = async (name: string, type: string, config: object): Promise<string> =>
    (
      await service.request('POST', '/v1/pipelines', {
        body: { name, type, interval: 5, destination: 'telemetry', config },
      })
    ).body.id;

  test('sends its values over HTTP, HTTP Basic and MQTT, and all become the same device', async () => {
    const http = await create('HTTP', 'http', {});
    const basic = await create('HTTP Basic', 'http', {});
    const mqtt = await create('MQTT', 'mqtt', { topic: 'collectd/#' });
    const { secret } = await service.mintKey(['telemetry:write']);
    writeFileSync(
      join(dir, 'collectd.conf'),
      `Hostname "node-1"
FQDNLookup false
BaseDir "${dir}"
PIDFile "${dir}/pid"
Interval 1
LoadPlugin load
LoadPlugin memory
LoadPlugin write_http
LoadPlugin mqtt
<Plugin write_http>
  <Node "penstock">
    URL "${service.url}/v1/pipelines/${http}/messages"
    Header "Authorization: Bearer ${secret}"
    Format "JSON"
    BufferSize 1024
  </Node>
  <Node "penstock-basic">
    URL "${service.url}/v1/pipelines/${basic}/messages"
    User "collectd"
    Password "${secret}"
    Format "JSON"
    BufferSize 1024
  </Node>
</Plugin>
<Plugin mqtt>
  <Publish "penstock">
    Host "127.0.0.1"
    Port ${await mqttPort}
    ClientId "collectd"
    User "collectd"
    Password "${secret}"
    Prefix "collectd"
    QoS 1
  </Publish>
</Plugin>
`,
    );
    collectd = spawn(program!, ['-f', '-C', join(dir, 'collectd.conf')], { stdio: 'ignore' });
    // Each plugin sends on its own, so the first messages may all hold metrics of one of them.
    await vi.waitFor(
      async () => {
        for (const id of [http, basic, mqtt]) {
          const { body } = await service.request('GET', `/v1/pipelines/${id}`);
          expect(body.ledger).toMatchObject({ rejected: 0, skipped: 0 });
          expect(body.ledger.delivered).toBeGreaterThan(3);
        }
        const { body } = await service.request('GET', '/v1/telemetry/latest?device=node-1');
        expect(body.data.map(({ metric }: { metric: string }) => metric)).toEqual(
          expect.arrayContaining(['load/load/shortterm', 'load/load/0', 'memory/memory-free']),
        );
      },
      { timeout: 20_000, interval: 100 },
    );
    expect((await service.request('GET', '/v1/devices')).body.data).toMatchObject([
      { externalId: 'node-1', state: 'online' },
    ]);
  }, 30_000);
});

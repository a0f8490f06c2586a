import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from './free-port.ts';
import { findProgram } from './installed.ts';
import { startTestService } from './start-test-service.ts';

const program = findProgram('prometheus');

/** A target of Prometheus with these metrics. Returns its host and port. */
const startTarget = async (text: () => string): Promise<string> => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(text());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** Runs Prometheus with a configuration until the test is finished. Returns its output so far. */
const runPrometheus = async (config: object): Promise<() => string> => {
  const dir = mkdtempSync(join(tmpdir(), 'penstock-prometheus-'));
  // YAML includes JSON.
  writeFileSync(join(dir, 'prometheus.yml'), JSON.stringify(config));
  const child = spawn(
    program!,
    [
      `--config.file=${join(dir, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(dir, 'data')}`,
      `--web.listen-address=127.0.0.1:${await freePort()}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(child, 'exit');
  let output = '';
  child.stderr.on('data', (chunk) => (output += String(chunk)));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(dir, { recursive: true, force: true });
  });
  return () => output;
};

const WAIT = { timeout: 60_000, interval: 100 };

describe.skipIf(program === undefined)('Prometheus', () => {
  it('writes what it scrapes, without stale and non-numeric values', { timeout: 150_000 }, async () => {
    const test = await startTestService();
    onTestFinished(() => test.close());
    const { secret } = await test.mintKey(['telemetry:write']);
    let isGone = false;
    const target = await startTarget(
      () =>
        `# TYPE boiler_temperature gauge\nboiler_temperature{zone="1"} ${isGone ? 72 : 71.5}\n` +
        (isGone ? 'boiler_burning 1\n' : 'boiler_pressure NaN\nboiler_gone 1\n') +
        'latency_bucket{le="0.5"} 3\nlatency_bucket{le="+Inf"} 4\nlatency_sum 2\nlatency_count 4\n',
    );
    const output = await runPrometheus({
      global: { scrape_interval: '1s' },
      scrape_configs: [{ job_name: 'boilers', static_configs: [{ targets: [target] }] }],
      remote_write: [
        {
          url: `${test.url}/api/v1/write`,
          authorization: { credentials: secret },
          queue_config: { batch_send_deadline: '100ms' },
          write_relabel_configs: [
            { source_labels: ['__name__'], regex: 'scrape_.*', action: 'drop' },
            { regex: 'job', action: 'labeldrop' },
          ],
        },
      ],
    });
    const latest = async (): Promise<Record<string, unknown>> => {
      const { body } = await test.request('GET', `/v1/telemetry/latest?device=${target}`);
      const data = (body.data ?? []) as { metric: string; value: unknown }[];
      return Object.fromEntries(data.map(({ metric, value }) => [metric, value]));
    };
    const stored = {
      'boiler_temperature.zone.1': 71.5,
      boiler_gone: 1,
      'latency_bucket.le.0.5': 3,
      'latency_bucket.le._Inf': 4,
      latency_sum: 2,
      latency_count: 4,
      up: 1,
    };
    await vi.waitFor(async () => expect(await latest()).toEqual(stored), WAIT);
    isGone = true;
    const changed = { ...stored, 'boiler_temperature.zone.1': 72, boiler_burning: 1 };
    await vi.waitFor(async () => expect(await latest()).toEqual(changed), WAIT);
    expect(output()).not.toMatch(/level=(warn|error)/);
  });
});

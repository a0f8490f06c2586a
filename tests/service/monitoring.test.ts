import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAIN } from './built-service.ts';
import { freePort } from './free-port.ts';
import { rawRequest } from './raw-request.ts';
import { runProgram } from './run-program.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let test: TestService;
let metricsUrl: string;
beforeAll(async () => {
  const port = await freePort();
  test = await startTestService({ env: { METRICS_PORT: `${port}` } });
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
});
afterAll(() => test.close());

/** The value of each series, by its name with labels. */
const readMetrics = async (url = metricsUrl): Promise<Map<string, number>> => {
  const text = await (await fetch(url)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(' ');
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
};

const createPipeline = async (name: string): Promise<string> => {
  const body = { name, type: 'http', interval: 1, destination: 'telemetry' };
  return (await test.request('POST', '/v1/pipelines', { body })).body.id;
};

describe('the metrics', () => {
  it('count devices, samples, and the ledger of a pipeline', async () => {
    const pipeline = await createPipeline('Boilers "A"\\');
    const message = { device: 'boiler-1', values: { temperature: 71 } };
    const sent = await test.request('POST', `/v1/pipelines/${pipeline}/messages`, { body: message });
    expect(sent.status).toBe(202);
    await test.request('POST', '/v1/telemetry', {
      body: { samples: [{ device: 'boiler-2', values: { temperature: 70, pressure: 2 } }] },
    });
    await test.request('POST', `/v1/pipelines/${pipeline}/messages`, { body: { device: 'boiler-1' } });
    const metrics = await readMetrics();
    expect(metrics.get('penstock_accepted_samples_total')).toBe(3);
    expect(metrics.get('penstock_telemetry_samples')).toBe(3);
    expect(metrics.get('penstock_devices{state="online"}')).toBe(2);
    expect(metrics.get('penstock_devices{state="offline"}')).toBe(0);
    const samplesOf = (outcome: string) =>
      metrics.get(`penstock_pipeline_samples_total{pipeline="${pipeline}",outcome="${outcome}"}`);
    expect(['received', 'delivered', 'rejected', 'skipped'].map(samplesOf)).toEqual([2, 1, 1, 0]);
    const states = [...metrics].filter(([name]) => name.startsWith('penstock_pipeline_state{'));
    expect(states).toEqual([[expect.stringContaining('name="Boilers \\"A\\"\\\\"'), 1]]);
  });

  it('forget a deleted pipeline', async () => {
    const pipeline = await createPipeline('Deleted soon');
    const namesOf = async () =>
      [...(await readMetrics()).keys()].filter((name) => name.includes(`pipeline="${pipeline}"`));
    expect((await namesOf()).length).toBeGreaterThan(5);
    await test.request('DELETE', `/v1/pipelines/${pipeline}`);
    expect(await namesOf()).toEqual([]);
  });

  it('measure requests by route, so that clients cannot add series', async () => {
    for (const path of ['/v1/devices/dev_1', '/v1/devices/dev_2', '/v1/first', '/v1/second'])
      expect((await test.request('GET', path)).status).toBe(404);
    const metrics = await readMetrics();
    const countOf = (labels: string) =>
      metrics.get(`penstock_http_request_duration_seconds_count{${labels}}`);
    expect(countOf('method="GET",route="/v1/devices/:id",status="404"')).toBe(2);
    const routes = new Set([...metrics.keys()].map((name) => /route="([^"]*)"/.exec(name)?.[1]));
    expect([...routes].filter((route) => /first|second|dev_/.test(route ?? ''))).toEqual([]);
  });

  it('describe the process and the disk', async () => {
    const metrics = await readMetrics();
    expect(metrics.get('penstock_disk_writable')).toBe(1);
    expect(metrics.get('penstock_disk_free_bytes')).toBeGreaterThan(0);
    expect(metrics.get('process_resident_memory_bytes')).toBeGreaterThan(0);
    expect([...metrics.keys()]).toContainEqual(expect.stringMatching(/^penstock_build_info\{version="\d/));
  });

  it('are only at /metrics, and only read', async () => {
    expect((await fetch(new URL('/v1/devices', metricsUrl))).status).toBe(404);
    expect((await fetch(metricsUrl, { method: 'POST', body: 'x' })).status).toBe(405);
    expect((await fetch(`${metricsUrl}?match[]=penstock_devices`)).status).toBe(200);
    expect((await fetch(`${test.url}/metrics`, { headers: { accept: 'text/plain' } })).status).toBe(404);
  });

  const ask = (host: string, url = metricsUrl) =>
    rawRequest(url, ['GET /metrics HTTP/1.1', `Host: ${host}`, 'Connection: close', '', ''].join('\r\n'));

  it('are not read by a web page that names itself', async () => {
    expect((await ask('evil.example')).status).toBe(421);
    expect((await ask('10.1.2.3:9464')).status).toBe(200);
    expect((await ask('LOCALHOST')).status).toBe(200);
    expect((await ask('penstock:9464')).status).toBe(421);
  });

  it('on all addresses are read under the names of containers too', async () => {
    const port = await freePort();
    const open = await startTestService({ env: { METRICS_HOST: '0.0.0.0', METRICS_PORT: `${port}` } });
    onTestFinished(() => open.close());
    const url = `http://127.0.0.1:${port}/metrics`;
    expect((await ask('penstock:9464', url)).status).toBe(200);
    expect((await ask('10.1.2.3:9464', url)).status).toBe(200);
    for (const host of ['evil.example', 'penstock.evil.example:9464', '', '0.0.0.0.evil.example'])
      expect((await ask(host, url)).status).toBe(421);
  });

  it('are a failed scrape, not the end of the service, while the disk cannot be asked', async () => {
    const error = Object.assign(new Error('ENOENT: statfs'), { code: 'ENOENT' });
    const free = vi.spyOn(test.service.parts.disk, 'freeBytes').mockImplementation(() => {
      throw error;
    });
    onTestFinished(() => free.mockRestore());
    expect((await fetch(metricsUrl)).status).toBe(503);
    free.mockRestore();
    expect((await fetch(metricsUrl)).status).toBe(200);
  });

  it('leave out what a database does not answer', async () => {
    await test.request('POST', '/v1/telemetry', {
      body: { samples: [{ device: 'boiler-3', values: { temperature: 69 } }] },
    });
    const before = await readMetrics();
    const devices = 'penstock_devices{state="online"}';
    expect(before.get('penstock_telemetry_samples')).toBeGreaterThan(0);
    expect(before.get(devices)).toBeGreaterThan(0);
    const stats = vi.spyOn(test.service.parts.telemetry, 'stats').mockRejectedValue(new Error('No answer.'));
    onTestFinished(() => stats.mockRestore());
    const metrics = await readMetrics();
    expect(metrics.get('penstock_database_up{database="telemetry"}')).toBe(0);
    expect(metrics.get('penstock_database_up{database="metadata"}')).toBe(1);
    expect(metrics.has('penstock_telemetry_samples')).toBe(false);
    expect(metrics.get(devices)).toBe(before.get(devices));
    stats.mockRestore();
    expect((await readMetrics()).get('penstock_telemetry_samples')).toBe(
      before.get('penstock_telemetry_samples'),
    );
  });
});

describe('health', () => {
  it('is live and ready, and not ready once the service is about to stop', async () => {
    const own = await startTestService();
    onTestFinished(() => own.close());
    const ask = async (path: string) => {
      const { status, body } = await own.request('GET', path, { token: null });
      return [status, body.status];
    };
    expect(await ask('/v1/health/live')).toEqual([200, 'ok']);
    expect(await ask('/v1/health/ready')).toEqual([200, 'ok']);
    own.service.drain();
    expect(await ask('/v1/health/ready')).toEqual([503, 'stopping']);
    expect(await ask('/v1/health/live')).toEqual([200, 'ok']);
    // Requests that arrive meanwhile are answered.
    expect((await own.request('GET', '/v1/devices')).status).toBe(200);
  });

  it('is degraded and not ready without telemetry.db, which the metrics count as down', async () => {
    const port = await freePort();
    const own = await startTestService({ env: { METRICS_PORT: `${port}`, TELEMETRY_URL: 'embedded' } });
    onTestFinished(() => own.close());
    const samples = [{ device: 'boiler-1', values: { temperature: 71 } }];
    expect((await own.request('POST', '/v1/telemetry', { body: { samples } })).status).toBe(200);
    await own.restart(() => rmSync(join(own.dataDir, 'telemetry.db')));
    const ask = async (path: string) => {
      const { status, body } = await own.request('GET', path, { token: null });
      return [status, body.status];
    };
    const url = `http://127.0.0.1:${port}/metrics`;
    expect(await ask('/v1/health/ready')).toEqual([503, 'unavailable']);
    expect(await ask('/v1/health')).toEqual([200, 'degraded']);
    const metrics = await readMetrics(url);
    expect(metrics.get('penstock_database_up{database="telemetry"}')).toBe(0);
    expect(metrics.get('penstock_database_up{database="metadata"}')).toBe(1);
    expect(metrics.has('penstock_telemetry_samples')).toBe(false);
    await own.request('POST', '/v1/storage/accept-loss', { body: { file: 'telemetry.db' } });
    expect(await ask('/v1/health/ready')).toEqual([200, 'ok']);
    expect((await readMetrics(url)).get('penstock_database_up{database="telemetry"}')).toBe(1);
  });

  it('is not ready for DRAIN_SECONDS before a stop, which a second signal shortens', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'penstock-drain-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const env = { PORT: '0', MQTT_PORT: '0', SEED: 'none', DATA_DIR: dataDir, DRAIN_SECONDS: '600' };
    const { child, output, ended } = runProgram([MAIN], env);
    onTestFinished(() => void child.kill('SIGKILL'));
    await expect.poll(() => output.stderr).toContain('"listening"');
    const url = /"url":"([^"]+)"/.exec(output.stderr)?.[1] ?? '';
    const readiness = async () => (await fetch(`${url}/v1/health/ready`)).status;
    expect(await readiness()).toBe(200);
    child.kill('SIGTERM');
    await expect.poll(readiness).toBe(503);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });
});

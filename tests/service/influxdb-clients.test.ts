import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { HttpError, InfluxDB as InfluxDb2, Point, setLogger } from '@influxdata/influxdb-client';
import { InfluxDB as InfluxDb1 } from 'influx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findProgram } from './installed.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const NOW = Date.UTC(2026, 10, 21, 12);

// The client prints what it throws.
setLogger({ error: () => undefined, warn: () => undefined });

let test: TestService;
let key: string;
beforeAll(async () => {
  test = await startTestService({ now: () => NOW });
  key = (await test.mintKey(['telemetry:write'])).secret;
});
afterAll(() => test.close());

const samplesOf = async (device: string) => {
  const { body } = await test.request('GET', `/v1/telemetry?device=${device}&from=-1d&to=%2B1h`);
  return (body.series as { metric: string; ts: number[]; value: unknown[] }[]).map(
    ({ metric, ts, value }) => [metric, ts, value] as const,
  );
};

describe('@influxdata/influxdb-client', () => {
  const clientWith = (token: string) =>
    new InfluxDb2({ url: test.url, token, timeout: 10_000 }).getWriteApi('any', 'any', 'ms', {
      maxRetries: 0,
      gzipThreshold: 0,
    });
  const point = (device: string) =>
    new Point('boiler')
      .tag('device', device)
      .tag('site', 'plant 1')
      .floatField('temperature', 71.5)
      .booleanField('burning', true)
      .stringField('mode', 'eco, "low"\nor \\ not')
      .timestamp(NOW);

  it('writes points', async () => {
    const api = clientWith(key);
    api.writePoint(point('of-client-2'));
    await api.close();
    expect(await samplesOf('of-client-2')).toEqual([
      ['boiler.site.plant_1.burning', [NOW], [true]],
      ['boiler.site.plant_1.mode', [NOW], ['eco, "low"\nor \\ not']],
      ['boiler.site.plant_1.temperature', [NOW], [71.5]],
    ]);
  });

  it('shows why samples were rejected', async () => {
    const api = clientWith(key);
    api.writePoint(new Point('boiler').tag('site', 'a').floatField('temperature', 1).timestamp(NOW));
    const error = await api.close().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(HttpError);
    expect(error).toMatchObject({
      statusCode: 400,
      message: expect.stringMatching(/^partial write: .* Line 1: The line has none of the tags/),
    });
  });

  it('shows that its key is unknown', async () => {
    const api = clientWith('pen_key_none');
    api.writePoint(point('of-nobody'));
    const error = await api.close().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ statusCode: 401, message: expect.stringContaining('Unknown token') });
  });
});

describe('influx', () => {
  const client = () => {
    const { hostname, port } = new URL(test.url);
    return new InfluxDb1({
      host: hostname,
      port: Number(port),
      database: 'any',
      username: 'any',
      password: key,
    });
  };

  it('finds the service, creates a database and writes points', async () => {
    const influx = client();
    expect(await influx.ping(5_000)).toMatchObject([{ online: true }]);
    expect(await influx.getDatabaseNames()).toEqual([]);
    await influx.createDatabase('any');
    await influx.writePoints(
      [
        {
          measurement: 'cpu',
          tags: { host: 'of-client-1', cpu: 'cpu0' },
          fields: { idle: 97.5, name: 'a "b"' },
          timestamp: NOW,
        },
      ],
      { precision: 'ms' },
    );
    expect(await samplesOf('of-client-1')).toEqual([
      ['cpu.cpu.cpu0.idle', [NOW], [97.5]],
      ['cpu.cpu.cpu0.name', [NOW], ['a "b"']],
    ]);
  });

  it('shows why samples were rejected', async () => {
    const writing = client().writePoints([{ measurement: 'cpu', fields: { idle: 1 } }]);
    await expect(writing).rejects.toThrow('partial write: the sample was rejected');
  });
});

const program = findProgram('influx');

describe.skipIf(program === undefined)('the command line of InfluxDB 1', () => {
  it('imports a file', async () => {
    const { hostname, port } = new URL(test.url);
    const file = join(test.dataDir, 'import.txt');
    writeFileSync(
      file,
      '# DDL\nCREATE DATABASE any\n# DML\n# CONTEXT-DATABASE: any\ncpu,host=of-import idle=1.5 ' +
        `${NOW}000000\n`,
    );
    const login = `-host ${hostname} -port ${port} -username any -password ${key}`;
    const args = `${login} -import -path ${file} -precision ns`.split(' ');
    const { stdout, stderr } = await promisify(execFile)(program!, args);
    expect(`${stdout}${stderr}`).toContain('Processed 1 commands');
    expect(await samplesOf('of-import')).toEqual([['cpu.idle', [NOW], [1.5]]]);
  });
});

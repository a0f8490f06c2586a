import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jetstream } from '@nats-io/jetstream';
import { Client } from 'pg';
import { SINK_STREAM, type KillParts } from './kill-parts.ts';
import { METRIC, type Reading } from './readings.ts';
import { tableOf, type Route } from './routes.ts';

type Stored = {
  readonly device: string;
  readonly ts: number | string;
  readonly values: Record<string, number>;
};

const readingIn = ({ device, ts, values }: Stored): Reading => ({
  device,
  ts: typeof ts === 'string' ? Date.parse(ts) : ts,
  value: values[METRIC] ?? Number.NaN,
});

const inInfluxdb = async ({ influxd, database }: KillParts): Promise<Reading[]> => {
  const rows = await influxd.query(`select device, ${METRIC} from penstock`, database);
  return rows.map((row) => ({
    device: String(row['device']),
    ts: Number(row['time']),
    value: Number(row[METRIC]),
  }));
};

const inPostgres = async ({ postgres }: KillParts, route: string): Promise<Reading[]> => {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ device: string; ts: Date; metric: string; value: number }>(
      `select device, ts, metric, value from ${tableOf(route)}`,
    );
    return rows.map(({ device, ts, metric, value }) =>
      readingIn({ device, ts: ts.getTime(), values: { [metric]: value } }),
    );
  } finally {
    await client.end();
  }
};

const inNats = ({ nats }: KillParts): Promise<Reading[]> =>
  nats.ask(async (connection) => {
    const found: Reading[] = [];
    const stream = jetstream(connection);
    const { num_pending: count } = await (await stream.consumers.get(SINK_STREAM)).info();
    if (count === 0) return found;
    const messages = await (await stream.consumers.get(SINK_STREAM)).consume();
    for await (const message of messages) {
      found.push(readingIn(message.json<Stored>()));
      if (message.info.pending === 0) break;
    }
    return found;
  });

/** The samples that a `file` destination wrote into a folder. */
export const readFiles = (dataDir: string, folder: string): Reading[] => {
  const at = join(dataDir, 'exports', folder);
  return readdirSync(at)
    .filter((name) => name.endsWith('.ndjson'))
    .flatMap((name) => readFileSync(join(at, name), 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line) => readingIn(JSON.parse(line) as Stored));
};

/** All samples at the destination of a route, including duplicates. */
export const readArrivals = async (parts: KillParts, { name, to }: Route): Promise<Reading[]> => {
  if (to === 'influxdb') return inInfluxdb(parts);
  if (to === 'postgres') return inPostgres(parts, name);
  return to === 'nats' ? inNats(parts) : readFiles(parts.service.dataDir, name);
};

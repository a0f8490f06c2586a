import { parseArgs } from 'node:util';
import { startClickHouseCluster } from '../service/start-clickhouse-cluster.ts';
import { startClickHouse } from '../service/start-clickhouse.ts';
import { endRun, abortRun, killOptions, print, readKillOptions } from './parts/kill-options.ts';
import { runProcessKills } from './parts/run-process-kills.ts';

/**
 * Kills three processes that share one PostgreSQL, one after another, while senders write through a proxy and
 * dashboards are open. In the end every answered sample must be stored or delivered, only the holder of the lease may
 * have polled and delivered, another process must have taken over within 15 s each time, and the dashboards must be
 * live. `--telemetry` is a URL, or `clickhouse` or `cluster` to start one server or two shards, of which one is killed
 * too.
 */
const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    ...killOptions(20),
    pipelines: { type: 'string', default: '10' },
    devices: { type: 'string', default: '100' },
    dashboards: { type: 'string', default: '3' },
    every: { type: 'string', default: '0' },
    suspend: { type: 'string', default: '0' },
    'postgres-down': { type: 'string' },
    'clickhouse-down': { type: 'string', default: '5' },
    telemetry: { type: 'string' },
  },
});
const { telemetry, 'postgres-down': postgresDown, ...others } = values;
const numbers = { ...others, ...(postgresDown !== undefined && { 'postgres-down': postgresDown }) };
for (const [name, text] of Object.entries(numbers))
  if (!/^\d+$/.test(text)) abortRun(`--${name} must be an integer.`);
const ms = (seconds: string): number => Number(seconds) * 1_000;
const { times, seed } = readKillOptions(values);

print(
  `${times} kills, seed ${seed}, ${values.pipelines} pipelines, ${values.devices} devices, ${values.dashboards} dashboards`,
);
/** A ClickHouse of its own, and the server of it that is killed. */
const startTelemetry = async () => {
  if (telemetry === 'clickhouse') {
    const server = await startClickHouse();
    return { url: server.urlOf('default'), server, close: server.close };
  }
  if (telemetry !== 'cluster') return undefined;
  const cluster = await startClickHouseCluster();
  return { url: cluster.urlOf('default'), server: cluster.servers[1]!, close: cluster.close };
};
const clickhouse = await startTelemetry();
const run = async () => {
  try {
    return await runProcessKills(
      {
        times,
        seed,
        pipelines: Number(values.pipelines),
        devices: Number(values.devices),
        dashboards: Number(values.dashboards),
        everyMs: ms(values.every),
        suspendMs: ms(values.suspend),
        postgresDownMs: postgresDown === undefined ? undefined : ms(postgresDown),
        telemetryUrl: clickhouse?.url ?? telemetry,
        telemetryRestarts:
          clickhouse === undefined
            ? []
            : [
                {
                  name: 'ClickHouse',
                  stop: clickhouse.server.stop,
                  start: clickhouse.server.start,
                  downMs: ms(values['clickhouse-down']),
                },
              ],
      },
      print,
    );
  } finally {
    await clickhouse?.close();
  }
};
const { faults, stored, spooled, longestPauseMs, fencing, live } = await run();
print(`${stored} samples stored, ${spooled} delivered, no polls for ${longestPauseMs} ms at most`);
print(
  `${fencing.holders} holders of the lease: ${fencing.deliveries} deliveries and ${fencing.polls} polls, ${fencing.unknown} by processes that had ended`,
);
print(
  `${live.dashboards} dashboards: ${live.reconnects} streams opened again, no samples for ${live.longestMs} ms at most, at least ${live.events} events`,
);
endRun(faults);

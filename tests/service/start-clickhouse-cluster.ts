import { freePort } from './free-port.ts';
import { CLICKHOUSE_PASSWORD, startClickHouse } from './start-clickhouse.ts';

/** Servers of ClickHouse on loopback, each a shard of the cluster `two`. */
export const startClickHouseCluster = async () => {
  const ports: { port: number; tcpPort: number }[] = [];
  while (ports.length < 2) ports.push({ port: await freePort(), tcpPort: await freePort() });
  const shards = ports.map(
    ({ tcpPort }) =>
      `<shard><internal_replication>true</internal_replication><replica>
         <host>127.0.0.1</host><port>${tcpPort}</port><user>default</user><password>${CLICKHOUSE_PASSWORD}</password>
       </replica></shard>`,
  );
  const more = `<remote_servers><two>${shards.join('')}</two></remote_servers>`;
  const servers = await Promise.all(ports.map((port) => startClickHouse({ ...port, more })));
  const hosts = ports.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return {
    servers,
    urlOf: (database: string) =>
      `clickhouse://default:${CLICKHOUSE_PASSWORD}@${hosts}/${database}?cluster=two`,
    /** Runs a statement on each server. */
    runOnAll: (statement: string) => Promise.all(servers.map(({ run }) => run(statement))),
    close: async () => void (await Promise.all(servers.map(({ close }) => close()))),
  };
};

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { findProgram } from '../../service/installed.ts';
import { freePort } from '../../service/free-port.ts';

/** A nats-server on loopback with JetStream on disk. It can be killed and restarted. */
export const startKillableNats = async (dir: string) => {
  const port = await freePort();
  mkdirSync(dir, { recursive: true });
  const config = join(dir, 'nats.conf');
  writeFileSync(config, `listen: 127.0.0.1:${port}\njetstream { store_dir: "${join(dir, 'store')}" }\n`);
  let child: ChildProcess;
  let exited: Promise<unknown>;

  const dial = (): Promise<NatsConnection> =>
    connect({ servers: `127.0.0.1:${port}`, tls: null, reconnect: false, timeout: 2_000 });
  /** Runs work over a separate connection. */
  const ask = async <T>(work: (connection: NatsConnection) => Promise<T>): Promise<T> => {
    const connection = await dial();
    try {
      return await work(connection);
    } finally {
      await connection.close();
    }
  };
  const isUp = (): Promise<boolean> =>
    ask((connection) => jetstreamManager(connection)).then(
      () => true,
      () => false,
    );
  const start = async () => {
    child = spawn(findProgram('nats-server') ?? 'nats-server', ['-c', config, '-l', join(dir, 'log')], {
      stdio: 'ignore',
    });
    exited = new Promise((resolve) => child.once('exit', resolve));
    while (!(await isUp())) {
      if (child.exitCode !== null) throw new Error(`nats-server ended with ${child.exitCode}.`);
      await delay(20);
    }
  };
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  await start();
  return {
    port,
    url: `nats://127.0.0.1:${port}`,
    start,
    kill,
    ask,
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
  };
};

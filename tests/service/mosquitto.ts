import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { freePort } from './free-port.ts';
import { findProgram } from './installed.ts';

export const PASSWORD = 'canary-of-a-broker';

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });

/** Resolves once something listens on a port of loopback. */
export const waitForPort = (port: number): Promise<void> =>
  vi.waitFor(async () => expect(await isOpen(port)).toBe(true), { timeout: 20_000, interval: 25 });

/**
 * A mosquitto on loopback (MQTT, MQTT over WebSocket, MQTT over TLS) that knows the user `penstock`, and may be killed.
 * @param settings further lines of its configuration
 */
export const startMosquitto = async (settings: readonly string[] = []) => {
  const dir = mkdtempSync(join(tmpdir(), 'penstock-mosquitto-'));
  const [port, wsPort, tlsPort] = [await freePort(), await freePort(), await freePort()];
  const file = (name: string) => join(dir, name);
  for (const name of ['test-cert.pem', 'test-key.pem'])
    copyFileSync(join(import.meta.dirname, name), file(name));
  writeFileSync(file('passwords'), `penstock:${PASSWORD}\n`, { mode: 0o600 });
  execFileSync(findProgram('mosquitto_passwd') ?? 'mosquitto_passwd', ['-U', file('passwords')]);
  const user = process.getuid?.() === 0 ? ['user root'] : [];
  writeFileSync(
    file('mosquitto.conf'),
    [
      ...user,
      'per_listener_settings false',
      'allow_anonymous false',
      `password_file ${file('passwords')}`,
      'persistence true',
      `persistence_location ${dir}/`,
      'autosave_on_changes true',
      'autosave_interval 1',
      'max_queued_messages 0',
      ...settings,
      `listener ${port} 127.0.0.1`,
      `listener ${wsPort} 127.0.0.1`,
      'protocol websockets',
      `listener ${tlsPort} 127.0.0.1`,
      `certfile ${file('test-cert.pem')}`,
      `keyfile ${file('test-key.pem')}`,
      '',
    ].join('\n'),
  );
  let child: ChildProcess;
  let exited: Promise<unknown>;
  const start = async () => {
    child = spawn(findProgram('mosquitto') ?? 'mosquitto', ['-c', file('mosquitto.conf')], {
      stdio: 'ignore',
    });
    exited = new Promise((resolve) => child.once('exit', resolve));
    await waitForPort(port);
  };
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await exited;
  };
  const kill = () => end('SIGKILL');
  await start();
  return {
    port,
    wsPort,
    tlsPort,
    start,
    kill,
    /** Makes the broker write its data to disk. */
    stop: () => end('SIGTERM'),
    close: async () => {
      await kill();
      rmSync(dir, { recursive: true, force: true });
    },
  };
};

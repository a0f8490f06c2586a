import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../service/free-port.ts';
import { findProgram } from '../../service/installed.ts';

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });

/** Starts mosquitto from Debian with persistence and without queue limits; undefined if it is not installed. */
export const startBenchMosquitto = async () => {
  const program = findProgram('mosquitto');
  if (program === undefined) return undefined;
  const dir = mkdtempSync(join(tmpdir(), 'penstock-bench-mosquitto-'));
  const port = await freePort();
  const config = [
    ...(process.getuid?.() === 0 ? ['user root'] : []),
    'allow_anonymous true',
    'persistence true',
    `persistence_location ${dir}/`,
    'max_queued_messages 0',
    'max_inflight_messages 1000',
    `listener ${port} 127.0.0.1`,
    'set_tcp_nodelay true',
  ];
  writeFileSync(join(dir, 'mosquitto.conf'), `${config.join('\n')}\n`);
  const child = spawn(program, ['-c', join(dir, 'mosquitto.conf')], { stdio: 'ignore' });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  while (!(await isOpen(port))) {
    if (child.exitCode !== null) throw new Error(`mosquitto ended with code ${child.exitCode}.`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return {
    port,
    pid: child.pid ?? 0,
    close: async () => {
      child.kill();
      await exited;
      rmSync(dir, { recursive: true, force: true });
    },
  };
};

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { findProgram } from './installed.ts';
import { waitForPort } from './mosquitto.ts';

/** A nats-server with JetStream on loopback. @param settings further lines of its configuration */
export const startNatsServer = async (settings: string) => {
  const port = await freePort();
  const dir = mkdtempSync(join(tmpdir(), 'penstock-nats-'));
  const file = join(dir, 'nats.conf');
  writeFileSync(file, `listen: 127.0.0.1:${port}\njetstream { store_dir: "${dir}" }\n${settings}\n`);
  const child = spawn(findProgram('nats-server') ?? 'nats-server', ['-c', file], { stdio: 'ignore' });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  await waitForPort(port);
  return {
    port,
    close: async () => {
      child.kill('SIGKILL');
      await exited;
      rmSync(dir, { recursive: true, force: true });
    },
  };
};

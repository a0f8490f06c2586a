import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LAUNCH = join(import.meta.dirname, '../../src/service/launch.js');

export type RunningService = {
  url: string;
  mqttPort: number;
  /** The link that the first start printed. */
  signinLink: string;
  dataDir: string;
  /** Stops it by SIGTERM and resolves to its exit code. */
  stop(): Promise<number | null>;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
};

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

/** Starts the service as `npm start` does, on free ports; on the data of an earlier one where `dataDir` is given. */
export const startRunningService = async (
  env: Record<string, string> = {},
  given: { dataDir?: string; port?: number } = {},
): Promise<RunningService> => {
  const dataDir = given.dataDir ?? mkdtempSync(join(tmpdir(), 'penstock-e2e-'));
  const [port, mqttPort] = [given.port ?? (await freePort()), await freePort()];
  const child = spawn(process.execPath, [LAUNCH], {
    env: { ...process.env, PORT: String(port), MQTT_PORT: String(mqttPort), DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<number | null>((resolve) => child.on('close', resolve));
  let [stdout, stderr] = ['', ''];
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
      if (stderr.includes('"msg":"listening"')) resolve();
    });
    child.on('close', () => reject(new Error(`The service did not start:\n${stderr}`)));
  });
  const stop = async () => {
    child.kill('SIGTERM');
    return exited;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    mqttPort,
    signinLink: /http\S+#signin=\S+/.exec(stdout)?.[0] ?? '',
    dataDir,
    stop,
    remove: async () => {
      await stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};

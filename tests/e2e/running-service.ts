import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LAUNCH } from '../service/built-service.ts';
import { freePort } from '../service/free-port.ts';

const run = promisify(execFile);

export type RunningService = {
  url: string;
  mqttPort: number;
  /** The link that the first start printed. */
  signinLink: string;
  dataDir: string;
  /** The ID of the process. A restart changes it. */
  pid(): number;
  /** Creates a sign-in link with `penstock signin`. */
  newSigninLink(): Promise<string>;
  /**
   * Stops the service and restarts it with the same data and port. `whileStopped` runs in between.
   */
  restart(whileStopped?: () => Promise<void>): Promise<void>;
  /** Stops the service and removes its data. */
  remove(): Promise<void>;
};

export const linkIn = (text: string): string => /http\S+#signin=\S+/.exec(text)?.[0] ?? '';

type Started = { port: number; pid: number; stdout: string; stop: () => Promise<number | null> };

/** Starts the service as `npm start` does. */
const launch = async (env: Record<string, string>, port: number): Promise<Started> => {
  const child = spawn(process.execPath, [LAUNCH], {
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<number | null>((resolve) => child.on('close', resolve));
  let [stdout, stderr] = ['', ''];
  await new Promise<void>((resolve, reject) => {
    // They arrive through separate pipes, in either order.
    const isUp = () => stderr.includes('"msg":"listening"') && stdout.includes('http');
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      if (isUp()) resolve();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
      if (isUp()) resolve();
    });
    child.on('close', () => reject(new Error(`The service did not start:\n${stderr}`)));
  });
  const stop = async () => {
    child.kill('SIGTERM');
    return exited;
  };
  return { port, pid: child.pid!, stdout, stop };
};

/** Starts a service with free ports and an empty data directory. */
export const startRunningService = async (extra: Record<string, string> = {}): Promise<RunningService> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'penstock-e2e-'));
  const [port, mqttPort] = [await freePort(), await freePort()];
  const env = { MQTT_PORT: String(mqttPort), DATA_DIR: dataDir, ...extra };
  let started = await launch(env, port);
  return {
    url: `http://127.0.0.1:${port}`,
    mqttPort,
    signinLink: linkIn(started.stdout),
    newSigninLink: async () => {
      const { stdout } = await run(process.execPath, [LAUNCH, 'signin'], {
        env: { ...process.env, DATA_DIR: dataDir },
      });
      return linkIn(stdout);
    },
    dataDir,
    pid: () => started.pid,
    restart: async (whileStopped) => {
      const code = await started.stop();
      if (code !== 0) throw new Error(`The service ended with ${code}.`);
      await whileStopped?.();
      started = await launch(env, port);
    },
    remove: async () => {
      await started.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};

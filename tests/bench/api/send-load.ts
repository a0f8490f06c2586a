import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from '../../service/installed.ts';

/** The number of concurrent clients. */
export const CLIENTS = 20;
/** The number of paths that the clients send in turn. */
const ROUNDS = 5_000;

/** Sends the paths in turn, and prints as JSON the number of responses, of errors and of lost requests, and the times in ms. */
const scriptOf = (paths: readonly string[]): string => `
local paths = { ${paths.map((path) => JSON.stringify(path)).join(', ')} }
local round = 0
request = function()
  round = round % #paths + 1
  return wrk.format("GET", paths[round])
end
done = function(summary, latency)
  io.write(string.format('\\n{ "requests": %d, "refused": %d, "lost": %d, "p50": %.3f, "p99": %.3f }',
    summary.requests, summary.errors.status,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
`;

type Load = { url: string; token: string; path: (round: number) => string; seconds: number };
type Result = { requests: number; p50: number; p99: number };

/**
 * Sends requests for some seconds like browsers: compressed responses over persistent connections. wrk uses little CPU
 * time, which leaves a core to the service. Times in ms.
 */
export const sendLoad = async ({ url, token, path, seconds }: Load): Promise<Result> => {
  const wrk = findProgram('wrk');
  if (wrk === undefined) throw new Error('wrk is not installed (Debian: apt-get install wrk).');
  const folder = mkdtempSync(join(tmpdir(), 'penstock-load-'));
  try {
    const script = join(folder, 'load.lua');
    writeFileSync(script, scriptOf(Array.from({ length: ROUNDS }, (_, round) => path(round))));
    const headers = [`Authorization: Bearer ${token}`, 'Accept-Encoding: gzip'];
    const { stdout } = await promisify(execFile)(wrk, [
      '--threads=1',
      `--connections=${CLIENTS}`,
      `--duration=${seconds}s`,
      `--script=${script}`,
      ...headers.map((header) => `--header=${header}`),
      url,
    ]);
    const { refused, lost, ...result } = JSON.parse(stdout.slice(stdout.lastIndexOf('{'))) as Result & {
      refused: number;
      lost: number;
    };
    if (refused > 0 || lost > 0)
      throw new Error(`${path(0)}: ${refused} responses were errors, ${lost} requests had no response.`);
    return result;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

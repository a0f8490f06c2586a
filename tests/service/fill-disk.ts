import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { freePort } from './free-port.ts';
import { getDisk, samples, start, stop } from './start-on-disk.ts';

const NO_RESERVE = { RESERVE_MB: '0' };
/** Reads the samples of `fillDisk`. */
export const READ = '/v1/telemetry?device=boiler-7&metric=m1&from=-1d&points=1000';

/** A full disk with the data of a service that stored 100 samples of each of 10 metrics. */
export const fillDisk = async (how: 'stopped' | 'killed') => {
  const disk = getDisk(32);
  const env = { ...NO_RESERVE, PORT: String(await freePort()) };
  const first = await start(disk, { ...env, SEED: 'default' });
  const session = await first.signIn(await first.readSigninToken());
  const sent = await first.request('POST', '/v1/telemetry', {
    token: session,
    body: samples('boiler-7', 1_000),
  });
  expect(sent.body.accepted).toBe(1_000);
  if (how === 'stopped') await stop(first);
  else {
    first.child.kill('SIGKILL');
    await first.ended;
  }
  const file = (name: string) => join(disk.path, 'data', name);
  // A restart of the machine or a copy of the data leaves the logs without their indexes.
  for (const name of ['penstock.db', 'telemetry.db']) rmSync(file(`${name}-shm`), { force: true });
  return { disk, env, session, file };
};

import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { telemetryMigrations } from '#service/telemetry/store/embedded/telemetry-schema.ts';
import { freePort } from './free-port.ts';
import { isFullRun } from './sized.ts';
import { canMountDisk } from './small-disk.ts';
import { MAIN, SIGNIN } from './built-service.ts';
import { getDisk, linesWith, run, samples, start, stop } from './start-on-disk.ts';

const NO_RESERVE = { RESERVE_MB: '0' };
const READ = '/v1/telemetry?device=boiler-7&metric=m1&from=-1d&points=1000';
const DELETE = '/v1/telemetry?device=boiler-7&from=2000-01-01T00:00:00Z&to=now';

/** A full disk with the data of a service that stored 100 samples of each of 10 metrics. */
const fillDisk = async (how: 'stopped' | 'killed') => {
  const disk = getDisk(32);
  const env = { ...NO_RESERVE, PORT: String(await freePort()) };
  const first = await start(disk, { ...env, SEED: 'default' });
  const session = await first.signIn(first.linkToken());
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

describe.skipIf(!canMountDisk())(
  'on a full disk without a reserve (requires root to mount one)',
  { timeout: 120_000 },
  () => {
    it.each(isFullRun ? (['stopped', 'killed'] as const) : (['killed'] as const))(
      'starts after it was %s, reads, signs in, says that nothing can be deleted, and writes once there is room',
      async (how) => {
        const { disk, env, session, file } = await fillDisk(how);
        expect(statSync(file('telemetry.db-wal'), { throwIfNoEntry: false })?.isFile() ?? false).toBe(
          how === 'killed',
        );
        disk.fill();
        expect(disk.freeBytes()).toBe(0);

        const signin = run(SIGNIN, disk);
        expect(await signin.ended).toBe(1);
        expect(signin.stderr()).toMatch(/^penstock: The disk of DATA_DIR ".*" is full\. Restart Penstock/);

        const second = await start(disk, env);
        const again = await second.signIn(second.linkToken());
        for (const token of [session, again])
          expect((await second.request('GET', READ, { token })).body.series[0].ts).toHaveLength(100);
        expect((await second.request('GET', '/v1/storage', { token: again })).body).toMatchObject({
          state: 'full',
          canDelete: false,
          detail: expect.stringContaining('Remove other files from the disk'),
        });
        expect((await second.request('GET', '/v1/health')).body).toEqual({
          status: 'degraded',
          storage: 'full',
        });
        const { data } = (await second.request('GET', '/v1/devices', { token: again })).body;
        const writes = [
          await second.request('POST', '/v1/telemetry', { token: again, body: samples('boiler-7', 10) }),
          await second.request('POST', '/v1/devices', { token: again, body: { name: 'One' } }),
          await second.request('DELETE', `/v1/devices/${data[0].id}`, { token: again }),
          await second.request('DELETE', DELETE, { token: again }),
        ];
        expect(writes.map(({ status, body }) => [status, body.code])).toEqual(
          writes.map(() => [507, 'storage-full']),
        );
        expect(writes.at(-1)?.body.detail).toContain('Penstock cannot delete data either');
        expect((await second.request('DELETE', '/v1/session', { token: again })).status).toBe(204);
        expect((await second.request('GET', '/v1/devices', { token: again })).body.code).toBe(
          'token-invalid',
        );

        disk.empty();
        await expect.poll(() => linesWith(second.stderr(), '"listening"')).toHaveLength(2);
        expect((await second.request('GET', '/v1/storage', { token: session })).body).toMatchObject({
          state: 'writable',
          canDelete: true,
          detail: null,
        });
        expect((await second.request('GET', READ, { token: session })).body.series[0].ts).toHaveLength(100);
        expect((await second.request('DELETE', DELETE, { token: session })).body).toEqual({ deleted: 1_000 });
        await stop(second);
        expect(linesWith(second.stderr(), 'The disk of DATA_DIR is full')).toHaveLength(1);
        expect(second.stderr()).not.toMatch(/\\n {4}at |^ {4}at /m);
      },
    );

    it('leaves the data as they were when it stops', async () => {
      const { disk, env, file } = await fillDisk('killed');
      disk.fill();
      const names = ['penstock.db', 'penstock.db-wal', 'telemetry.db', 'telemetry.db-wal'];
      const contents = () => names.map((name) => readFileSync(file(name)));
      const before = contents();
      await stop(await start(disk, env));
      expect(contents()).toEqual(before);
    });

    it('reports databases of an earlier version, and starts without a telemetry.db that held nothing', async () => {
      const { disk, env, session, file } = await fillDisk('stopped');
      const change = (name: string, sql: string) => {
        disk.empty();
        const db = new DatabaseSync(file(name));
        db.exec(sql);
        db.close();
      };
      const startAndList = async () => {
        disk.fill();
        const service = await start(disk, env);
        const { files } = (await service.request('GET', '/v1/storage', { token: session })).body;
        const { status } = await service.request('GET', READ, { token: session });
        await stop(service);
        expect(service.stderr()).not.toMatch(/\\n {4}at |^ {4}at /m);
        return { files, status };
      };

      change(
        'telemetry.db',
        `PRAGMA user_version = ${telemetryMigrations.length - 1}; ALTER TABLE progress DROP COLUMN partial_series; ALTER TABLE progress DROP COLUMN partial_until`,
      );
      expect(await startAndList()).toMatchObject({ files: [{ problem: 'unconverted' }], status: 503 });

      change('penstock.db', "DELETE FROM fact WHERE name = 'telemetry-expected'");
      rmSync(file('telemetry.db'));
      expect(await startAndList()).toEqual({ files: [], status: 200 });

      change(
        'penstock.db',
        'DELETE FROM kysely_migration WHERE name = (SELECT max(name) FROM kysely_migration)',
      );
      disk.fill();
      const program = run(MAIN, disk, env);
      expect(await program.ended).toBe(1);
      expect(linesWith(program.stderr(), 'penstock: ')).toEqual([
        'penstock: penstock.db must be migrated to this version of Penstock, but the disk of DATA_DIR is full. Free at least 16 MB, then start Penstock again.',
      ]);
      expect(program.stderr()).not.toMatch(/\\n {4}at |^ {4}at /m);
    });
  },
);

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { telemetryMigrations } from '#service/telemetry/store/embedded/telemetry-schema.ts';
import { MAIN, SIGNIN } from './built-service.ts';
import { fillDisk, READ } from './fill-disk.ts';
import { canMountDisk, mountFailingDisk } from './small-disk.ts';
import { getDisk, linesWith, run, samples, start, stop } from './start-on-disk.ts';

describe.skipIf(!canMountDisk())('on a full disk (requires root to mount one)', { timeout: 120_000 }, () => {
  it('deleting telemetry returns space to the disk', async () => {
    const disk = getDisk(16);
    const service = await start(disk, { RESERVE_MB: '4' });
    const session = await service.signIn(await service.readSigninToken());
    const statuses: number[] = [];
    for (let count = 0; count < 400 && statuses.at(-1) !== 507; count++)
      statuses.push(
        (
          await service.request('POST', '/v1/telemetry', {
            token: session,
            body: samples(`device-${count}`, 10_000),
          })
        ).status,
      );
    expect(new Set(statuses)).toEqual(new Set([200, 507]));
    const { data } = (await service.request('GET', '/v1/devices?limit=200', { token: session })).body;
    for (const { externalId } of data as { externalId: string }[]) {
      const path = `/v1/telemetry?device=${externalId}&from=2000-01-01T00:00:00Z&to=now`;
      expect((await service.request('DELETE', path, { token: session })).status).toBe(200);
    }
    await expect.poll(() => disk.freeBytes()).toBeGreaterThan(8 * 1_048_576);
    await expect
      .poll(async () => (await service.request('GET', '/v1/storage', { token: session })).body.state)
      .toBe('writable');
    expect(
      (await service.request('POST', '/v1/telemetry', { token: session, body: samples('device-0', 1_000) }))
        .status,
    ).toBe(200);
    await stop(service);
    expect(service.stderr()).not.toMatch(/\\n {4}at |^ {4}at /m);
  });

  it('the signin command creates a link with the reserve', async () => {
    const disk = getDisk(32);
    const service = await start(disk);
    const session = await service.signIn(await service.readSigninToken());
    await expect
      .poll(async () => (await service.request('GET', '/v1/storage', { token: session })).body.reserveBytes)
      .toBe(8 * 1_048_576);
    disk.fill();
    const signin = run(SIGNIN, disk);
    expect([await signin.ended, signin.stderr()]).toEqual([0, '']);
    await service.signIn(/#signin=(\S+)/.exec(signin.stdout())?.[1] ?? '');
  });
});

describe.skipIf(!canMountDisk())(
  'on a read-only disk (requires root to mount one)',
  { timeout: 120_000 },
  () => {
    it('starts on a disk that failed while it ran', async ({ skip }) => {
      const disk = mountFailingDisk(32);
      if (disk === undefined) return skip('A file system on a loop device cannot be mounted.');
      onTestFinished(disk.unmount);
      const first = await start(disk);
      const session = await first.signIn(await first.readSigninToken());
      disk.fail();
      await stop(first);
      const second = await start(disk);
      expect((await second.request('GET', '/v1/storage', { token: session })).body.state).toBe('read-only');
      await stop(second);
    });

    it('stops without errors', async () => {
      const disk = getDisk(32);
      await stop(await start(disk));
      disk.setReadOnly(true);
      const service = await start(disk);
      expect(existsSync(join(disk.path, 'data', 'penstock.db-wal'))).toBe(false);
      await stop(service);
    });
  },
);

describe.skipIf(!canMountDisk())(
  'on a full disk without a reserve (requires root to mount one)',
  { timeout: 120_000 },
  () => {
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

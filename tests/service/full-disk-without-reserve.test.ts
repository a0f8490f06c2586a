import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fillDisk, READ } from './fill-disk.ts';
import { isFullRun } from './sized.ts';
import { canMountDisk } from './small-disk.ts';
import { SIGNIN } from './built-service.ts';
import { linesWith, run, samples, start, stop } from './start-on-disk.ts';

const DELETE = '/v1/telemetry?device=boiler-7&from=2000-01-01T00:00:00Z&to=now';

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
        const again = await second.signIn(await second.readSigninToken());
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
  },
);

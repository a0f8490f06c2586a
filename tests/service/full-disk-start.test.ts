import { describe, expect, it } from 'vitest';
import { freePort } from './free-port.ts';
import { isFullRun } from './sized.ts';
import { canMountDisk } from './small-disk.ts';
import { MAIN, SIGNIN } from './built-service.ts';
import { getDisk, linesWith, run, samples, start, stop } from './start-on-disk.ts';

/** No stack trace, and so many lines about a full disk and its end. */
const expectDiskLines = (stderr: string, fullCount: number, writableCount: number): void => {
  expect(stderr).not.toMatch(/\\n {4}at |^ {4}at /m);
  expect(linesWith(stderr, 'The disk of DATA_DIR is full')).toHaveLength(fullCount);
  expect(linesWith(stderr, 'accepts writes again')).toHaveLength(writableCount);
};

const allScopes = ['devices:read', 'devices:write', 'telemetry:read', 'telemetry:write', 'api-keys:manage'];

describe.skipIf(!canMountDisk())('on a full disk (requires root to mount one)', { timeout: 120_000 }, () => {
  it('the service starts, reads, signs in, revokes, deletes and stops, rejects other writes, and resumes automatically', async () => {
    const disk = getDisk(32);
    const first = await start(disk, { SEED: 'default' });
    const session = await first.signIn(await first.readSigninToken());
    const mint = async (name: string) =>
      (await first.request('POST', '/v1/api-keys', { token: session, body: { name, scopes: allScopes } }))
        .body;
    const [kept, leaked] = [await mint('Kept'), await mint('Leaked')];
    const sent = await first.request('POST', '/v1/telemetry', {
      token: kept.secret,
      body: samples('boiler-7', 5_000),
    });
    expect(sent.body.accepted).toBe(5_000);
    await expect
      .poll(async () => (await first.request('GET', '/v1/storage', { token: session })).body.reserveBytes)
      .toBe(8 * 1_048_576);

    disk.fill();
    expect(disk.freeBytes()).toBe(0);
    await expect
      .poll(async () => (await first.request('GET', '/v1/storage', { token: session })).body.state)
      .toBe('full');
    const write = (program: typeof first, token: string) =>
      program.request('POST', '/v1/devices', { token, body: { name: `Device ${Math.random()}` } });
    expect([(await write(first, session)).status, (await write(first, session)).body.code]).toEqual([
      507,
      'storage-full',
    ]);
    expect(
      (await first.request('POST', '/v1/telemetry', { token: kept.secret, body: samples('boiler-7', 10) }))
        .status,
    ).toBe(507);
    expect((await first.request('GET', '/v1/health')).body).toEqual({
      status: 'degraded',
      storage: 'full',
    });
    const onFull = await first.signIn(kept.secret);
    expect((await first.request('DELETE', `/v1/api-keys/${leaked.id}`, { token: onFull })).status).toBe(204);
    await stop(first);
    expectDiskLines(first.stderr(), 1, 0);

    disk.fill();
    const second = await start(disk);
    const again = await second.signIn(kept.secret);
    expect((await second.request('GET', '/v1/devices', { token: leaked.secret })).body.code).toBe(
      'token-revoked',
    );
    const read = await second.request('GET', '/v1/telemetry?device=boiler-7&metric=m1&from=-1d&points=1000', {
      token: again,
    });
    expect(read.body.series[0].ts).toHaveLength(500);
    const deleted = await second.request(
      'DELETE',
      '/v1/telemetry?device=boiler-7&from=2000-01-01T00:00:00Z&to=now',
      { token: again },
    );
    expect([deleted.status, deleted.body]).toEqual([200, { deleted: 5_000 }]);
    expect((await write(second, again)).status).toBe(507);

    disk.empty();
    await expect
      .poll(async () => (await second.request('GET', '/v1/storage', { token: again })).body)
      .toMatchObject({ state: 'writable', since: null, reserveBytes: 8 * 1_048_576 });
    expect((await write(second, again)).status).toBe(201);
    await stop(second);
    expectDiskLines(second.stderr(), 1, 1);
  });

  it('a first start fails with one line that says how much space to free', async () => {
    const disk = getDisk(1);
    disk.fill();
    const program = run(MAIN, disk);
    expect(await program.ended).toBe(1);
    expect(linesWith(program.stderr(), 'penstock: ')).toEqual([
      expect.stringMatching(/^penstock: The disk of DATA_DIR ".*" is full\. Free at least/),
    ]);
    expect(program.stderr()).not.toMatch(/ {4}at /);
  });
});

describe.skipIf(!canMountDisk())(
  'on a read-only disk (requires root to mount one)',
  { timeout: 120_000 },
  () => {
    it.each(isFullRun ? ['stopped', 'killed'] : ['killed'])(
      'starts after it was %s, reads, signs in, rejects writes, and writes once the disk is writable',
      async (how) => {
        const disk = getDisk(32);
        const port = String(await freePort());
        const first = await start(disk, { SEED: 'default', PORT: port });
        const session = await first.signIn(await first.readSigninToken());
        const sent = await first.request('POST', '/v1/telemetry', {
          token: session,
          body: samples('boiler-7', 1_000),
        });
        expect(sent.status).toBe(200);
        if (how === 'stopped') await stop(first);
        else {
          first.child.kill('SIGKILL');
          await first.ended;
        }
        disk.setReadOnly(true);

        const signin = run(SIGNIN, disk);
        expect(await signin.ended).toBe(1);
        expect(signin.stderr()).toMatch(
          /^penstock: The disk of DATA_DIR ".*" is read-only\. Restart Penstock/,
        );

        const second = await start(disk, { PORT: port });
        const again = await second.signIn(await second.readSigninToken());
        for (const token of [session, again]) {
          const read = await second.request(
            'GET',
            '/v1/telemetry?device=boiler-7&metric=m1&from=-1d&points=1000',
            { token },
          );
          expect(read.body.series[0].ts).toHaveLength(100);
        }
        expect((await second.request('GET', '/v1/storage', { token: again })).body).toMatchObject({
          state: 'read-only',
        });
        const refused = await second.request('POST', '/v1/devices', { token: again, body: { name: 'One' } });
        expect([refused.status, refused.body.code]).toEqual([507, 'storage-read-only']);
        expect(
          (await second.request('POST', '/v1/telemetry', { token: again, body: samples('boiler-7', 10) }))
            .status,
        ).toBe(507);
        expect((await second.request('DELETE', '/v1/session', { token: again })).status).toBe(204);
        expect((await second.request('GET', '/v1/devices', { token: again })).body.code).toBe(
          'token-invalid',
        );

        disk.setReadOnly(false);
        await expect.poll(() => linesWith(second.stderr(), '"listening"')).toHaveLength(2);
        expect(
          (await second.request('POST', '/v1/devices', { token: session, body: { name: 'One' } })).status,
        ).toBe(201);
        await stop(second);
        expect(linesWith(second.stderr(), 'is read-only, so writes are rejected')).toHaveLength(1);
        expect(second.stderr()).not.toMatch(/\\n {4}at |^ {4}at /m);
      },
    );
  },
);

import { describe, expect, onTestFinished, test } from 'vitest';
import { canMountDisk, mountSmallDisk } from './small-disk.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const MIB = 1_048_576;

/** A disk of 100 MiB, of which a tenth is little space. */
const openService = async () => {
  const disk = mountSmallDisk(100);
  onTestFinished(() => disk.unmount());
  const service = await startTestService({ parentDir: disk.path });
  onTestFinished(() => service.close());
  return { service, leaveFree: (mebibytes: number) => disk.leaveFree(mebibytes * MIB) };
};

const storageEvents = async (service: TestService) =>
  (await service.request('GET', '/v1/events?type=service.storage-low&type=service.storage-recovered&sort=at'))
    .body.data;
const isLow = async (service: TestService): Promise<boolean> =>
  (await service.request('GET', '/v1/storage')).body.low;
const attention = async (service: TestService): Promise<string[]> =>
  (await service.request('GET', '/v1/overview')).body.attention.items.map(
    ({ kind }: { kind: string }) => kind,
  );

describe.skipIf(!canMountDisk())('the free space of the disk (requires root to mount one)', () => {
  test('below a tenth is a warning until a quarter more is free, with one event each, also over a restart', async () => {
    const { service, leaveFree } = await openService();
    expect(await isLow(service)).toBe(false);
    expect(await attention(service)).toEqual([]);

    leaveFree(9);
    await expect.poll(() => isLow(service)).toBe(true);
    await expect.poll(() => attention(service)).toEqual(['storage-low']);
    const { attention: listed } = (await service.request('GET', '/v1/overview')).body;
    expect(listed.items[0].detail).toMatch(/^\d+ MB of 105 MB are free\.$/);
    await expect
      .poll(() => storageEvents(service))
      .toMatchObject([{ type: 'service.storage-low', data: { diskBytes: 100 * MIB } }]);

    await service.restart();
    expect(await isLow(service), 'after a restart').toBe(true);
    leaveFree(11);
    await service.restart();
    expect(await isLow(service), 'a little above the limit').toBe(true);

    leaveFree(14);
    await expect.poll(() => isLow(service)).toBe(false);
    await expect
      .poll(async () => (await storageEvents(service)).map(({ type }: { type: string }) => type))
      .toEqual(['service.storage-low', 'service.storage-recovered']);
    await expect.poll(() => attention(service)).toEqual([]);
  });
});

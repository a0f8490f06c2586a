import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { insertDevices, newDeviceRow } from '#service/devices/device-store.ts';
import { startTestService } from './start-test-service.ts';

/** Texts that compress little. */
const notes = (number: number): string => (number < 20 ? '' : randomBytes(450).toString('base64'));

test('compressed responses of each size have the text of those that are not compressed', async () => {
  const service = await startTestService();
  onTestFinished(() => service.close());
  const rows = Array.from({ length: 200 }, (_, number) =>
    newDeviceRow({ name: `Pump ${number}`, notes: notes(number) }, `pump-${number}`, number + 1),
  );
  await insertDevices(service.service.parts.db, rows);
  const { secret } = await service.mintKey(['devices:read']);
  const read = async (limit: number, encoding: string) => {
    const response = await fetch(`${service.url}/v1/devices?limit=${limit}&sort=createdAt`, {
      headers: { authorization: `Bearer ${secret}`, 'accept-encoding': encoding },
    });
    return { encoding: response.headers.get('content-encoding'), text: await response.text() };
  };
  const sizes: number[] = [];
  // The largest is compressed by another thread.
  for (const limit of [1, 3, 5, 200, 85, 30, 10, 5]) {
    const [plain, compressed, again] = await Promise.all([
      read(limit, 'identity'),
      read(limit, 'gzip'),
      read(limit, 'gzip'),
    ]);
    const isSmall = Buffer.byteLength(plain.text) < 1_024;
    expect(compressed).toEqual({ encoding: isSmall ? null : 'gzip', text: plain.text });
    expect(plain.encoding).toBeNull();
    expect(again).toEqual(compressed);
    sizes.push(Buffer.byteLength(plain.text));
  }
  const [least, greatest] = [48 * 1_024, 64 * 1_024];
  expect(sizes.some((size) => size > least && size < greatest)).toBe(true);
});

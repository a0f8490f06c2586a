import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { screen, waitFor, within } from '@testing-library/react';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { mountSmallDisk, canMountDisk, type SmallDisk } from '#tests/service/small-disk.ts';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { fill } from './fill.ts';
import { openPage } from './open-page.tsx';

const canMount = canMountDisk();
let disk: SmallDisk;
let service: TestService;
beforeAll(async () => {
  if (!canMount) return;
  disk = mountSmallDisk(48);
  service = await startTestService({ parentDir: disk.path, env: { RESERVE_MB: '8' } });
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
  await service.request('POST', '/v1/telemetry', {
    body: { samples: [{ device: 'pump-1', ts: Date.now() - 100 * 86_400_000, values: { flow: 3 } }] },
  });
  await vi.waitUntil(
    async () => (await service.request('GET', '/v1/storage')).body.reserveBytes === 8 * 1_048_576,
    20_000,
  );
});
afterAll(async () => {
  await service?.close();
  disk?.unmount();
});

const NOTICE = /The service’s disk is full \(.+ free\)/;

test.skipIf(!canMount)(
  'every open page shows a notice once the disk is full, and removes it once space is free',
  async () => {
    const { user } = openPage(service, '/devices');
    await screen.findByRole('link', { name: /pump-1/ });
    expect(screen.queryByText(NOTICE)).toBeNull();
    disk.fill();
    await screen.findByText(NOTICE);
    expect(screen.getByRole('link', { name: 'Delete rejections' }).getAttribute('href')).toBe('/pipelines');

    await user.click(screen.getByRole('button', { name: 'Delete telemetry…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Delete old telemetry?' });
    await user.click(within(dialog).getByRole('button', { name: 'Delete telemetry' }));
    await screen.findByText('Deleted 1 sample');
    disk.empty();
    await expect.poll(() => screen.queryByText(NOTICE)).toBeNull();
  },
);

test.skipIf(!canMount)('Overview says when the disk is full', async () => {
  openPage(service, '/');
  const panel = within(await screen.findByRole('region', { name: 'Storage' }));
  await panel.findByText('Estimated after a day of use');
  disk.fill();
  await panel.findByText('Full: new data is rejected', {}, { timeout: 20_000 });
  disk.empty();
  await expect.poll(() => screen.queryByText(NOTICE)).toBeNull();
});

test.skipIf(!canMount)('a read-only key sees the notice and no actions', async () => {
  const { secret } = await service.mintKey(['devices:read']);
  disk.fill();
  openPage(service, '/devices', secret);
  await screen.findByText(NOTICE);
  await screen.findByRole('link', { name: /pump-1/ });
  expect(screen.queryByRole('button', { name: 'Delete telemetry…' })).toBeNull();
  expect(screen.queryByRole('link', { name: 'Delete rejections' })).toBeNull();
  disk.empty();
});

test.skipIf(!canMount)(
  'the notice says that nothing can be deleted on a disk that was full at the start',
  async () => {
    const full = mountSmallDisk(32);
    onTestFinished(() => full.unmount());
    const other = await startTestService({ parentDir: full.path });
    onTestFinished(() => other.close());
    await other.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
    await other.restart(() => full.fill());
    openPage(other, '/devices');
    await screen.findByText(/Penstock rejects new data, changes and deletions/);
    expect(screen.queryByRole('button', { name: 'Delete telemetry…' })).toBeNull();
  },
);

test('every page reports a missing telemetry.db until a person continues without its samples', async () => {
  const other = await startTestService();
  onTestFinished(() => other.close());
  await other.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
  await other.request('POST', '/v1/telemetry', {
    body: { samples: [{ device: 'pump-1', values: { flow: 3 } }] },
  });
  await other.restart(() => rmSync(join(other.dataDir, 'telemetry.db')));
  const { user } = openPage(other, '/devices');
  const notice = /telemetry\.db is missing; it held at least 1 sample\./;
  await screen.findByText(notice);
  await user.click(screen.getByRole('button', { name: 'Continue without samples…' }));
  const dialog = await screen.findByRole('dialog');
  await fill(user, within(dialog).getByRole('textbox'), 'telemetry.db');
  await user.click(within(dialog).getByRole('button', { name: 'Continue without samples' }));
  await expect.poll(() => screen.queryByText(notice)).toBeNull();
});

test.skipIf(!canMount)('while disk space is low, Overview lists the disk and About says so', async () => {
  const large = mountSmallDisk(100);
  onTestFinished(() => large.unmount());
  const other = await startTestService({ parentDir: large.path });
  onTestFinished(() => other.close());
  large.leaveFree(9 * 1_048_576);
  await vi.waitUntil(async () => (await other.request('GET', '/v1/storage')).body.low, 20_000);
  const { user } = openPage(other, '/');
  const panel = await screen.findByRole('region', { name: 'Needs attention' });
  await within(panel).findByText(/^Low disk space for /);
  const storage = within(screen.getByRole('region', { name: 'Storage' }));
  expect(await storage.findByText('Low disk space')).toBeTruthy();
  await user.click(within(panel).getByRole('link', { name: 'Service disk' }));
  await screen.findByRole('heading', { level: 1, name: 'About' });
  expect(await screen.findByText('Low disk space')).toBeTruthy();
});

test.skipIf(!canMount)('while disk space is low, About deletes old telemetry', async () => {
  const large = mountSmallDisk(100);
  onTestFinished(() => large.unmount());
  const other = await startTestService({ parentDir: large.path });
  onTestFinished(() => other.close());
  await other.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
  await other.request('POST', '/v1/telemetry', {
    body: { samples: [{ device: 'pump-1', ts: Date.now() - 100 * 86_400_000, values: { flow: 3 } }] },
  });
  const { user } = openPage(other, '/settings/about');
  await screen.findByText('Accepts data');
  expect(screen.queryByRole('button', { name: 'Delete telemetry…' })).toBeNull();
  large.leaveFree(9 * 1_048_576);
  await user.click(await screen.findByRole('button', { name: 'Delete telemetry…' }, { timeout: 20_000 }));
  const dialog = await screen.findByRole('dialog', { name: 'Delete old telemetry?' });
  await user.click(within(dialog).getByRole('button', { name: 'Delete telemetry' }));
  await screen.findByText('Deleted 1 sample');
});

/** Holds each request that deletes samples until it is sent or fails. */
const holdDeletions = () => {
  const send = fetch;
  const held: ((answer: 'send' | 'fail') => void)[] = [];
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    const answer =
      pathname === '/v1/telemetry' ? await new Promise<string>((resolve) => held.push(resolve)) : 'send';
    return answer === 'send' ? send(input, init) : new Response('', { status: 500 });
  });
  onTestFinished(() => fetched.mockRestore());
  const next = async () => vi.waitUntil(() => held.shift(), 20_000);
  return { send: async () => (await next())('send'), fail: async () => (await next())('fail') };
};

test.skipIf(!canMount)('a deletion from the notice continues when the notice is gone', async () => {
  const { user } = openPage(service, '/devices');
  await screen.findByRole('link', { name: /pump-1/ });
  disk.fill();
  await user.click(await screen.findByRole('button', { name: 'Delete telemetry…' }));
  const deletions = holdDeletions();
  await user.click(await screen.findByRole('button', { name: 'Delete telemetry' }));
  await screen.findByRole('dialog', { name: 'Deleting old telemetry' });
  disk.empty();
  await expect.poll(() => screen.queryByText(NOTICE)).toBeNull();
  expect(screen.getByRole('dialog', { name: 'Deleting old telemetry' })).toBeTruthy();
  await deletions.send();
  await screen.findByText(/^Deleted \d+ samples?$/);
});

test.skipIf(!canMount)(
  'a deletion of telemetry shows its progress, and continues after it failed or was cancelled',
  async () => {
    const large = mountSmallDisk(100);
    onTestFinished(() => large.unmount());
    const other = await startTestService({ parentDir: large.path });
    onTestFinished(() => other.close());
    await other.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
    const names = Array.from({ length: 350 }, (_, n) => `pump-${n}`);
    await other.request('POST', '/v1/devices/batch', {
      body: { operation: 'upsert', items: names.map((name) => ({ name, externalId: name })) },
    });
    const ts = Date.now() - 100 * 86_400_000;
    await other.request('POST', '/v1/telemetry', {
      body: { samples: names.map((device) => ({ device, ts, values: { flow: 3 } })) },
    });
    large.leaveFree(9 * 1_048_576);
    await vi.waitUntil(async () => (await other.request('GET', '/v1/storage')).body.low, 20_000);
    const { user } = openPage(other, '/settings/about');
    await user.click(await screen.findByRole('button', { name: 'Delete telemetry…' }));
    const deletions = holdDeletions();
    const dialog = within(await screen.findByRole('dialog'));
    await user.click(dialog.getByRole('button', { name: 'Delete telemetry' }));
    await deletions.send();
    await dialog.findByText('Deleting telemetry: 100 of 350 devices');
    await deletions.fail();
    await dialog.findByRole('alert');
    expect(dialog.getByText('Deleted 100 samples from 100 of 350 devices.')).toBeTruthy();
    await user.click(dialog.getByRole('button', { name: 'Continue' }));
    await user.click(await dialog.findByRole('button', { name: 'Cancel' }));
    await dialog.findByRole('button', { name: 'Cancelling…' });
    await deletions.send();
    await dialog.findByText('Cancelled. Deleted 200 samples from 200 of 350 devices.');
    expect(dialog.queryByRole('alert')).toBeNull();

    await user.click(dialog.getByRole('button', { name: 'Continue' }));
    await deletions.send();
    await dialog.findByText('Deleting telemetry: 300 of 350 devices');
    await deletions.send();
    await screen.findByText('Deleted 350 samples');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  },
);

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { screen, waitFor, within } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startReceiver, type Receiver } from '#tests/service/receiver.ts';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { fill } from './fill.ts';
import { openPage } from './open-page.tsx';

let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService({ env: { ALLOWED_NETWORKS: '10.99.0.0/16' } });
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});
const listed = async (): Promise<{ id: string | null; network: string; ports: number[] | null }[]> =>
  (await service.request('GET', '/v1/networks')).body.data;
const stored = async () => (await listed()).filter(({ id }) => id !== null);
afterEach(async () => {
  for (const { id } of await stored()) await service.request('DELETE', `/v1/networks/${id}`);
});

const rowOf = async (text: string) => within((await screen.findByText(text)).closest('li')!);

test('a network is allowed and removed, and those of ALLOWED_NETWORKS are only shown', async () => {
  const { user } = openPage(service, '/settings/network');
  const configured = await rowOf('10.99.0.0/16');
  configured.getByText(/^All ports\. From ALLOWED_NETWORKS\. To remove it, change the variable/);
  expect(configured.queryByRole('button')).toBeNull();

  await user.click(screen.getByRole('button', { name: 'Allow network' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Allow network' }));
  await fill(user, await drawer.findByRole('textbox', { name: 'Address or network' }), '10.0.0.5');
  await fill(user, drawer.getByRole('textbox', { name: 'Ports optional' }), '502, 1502');
  await user.click(drawer.getByRole('button', { name: 'Allow' }));
  const added = await rowOf('10.0.0.5 on ports 502, 1502');
  added.getByText(/^Allowed by Ada/);
  expect(await stored()).toMatchObject([{ network: '10.0.0.5', ports: [502, 1502] }]);

  await user.click(added.getByRole('button', { name: 'Remove 10.0.0.5 on ports 502, 1502…' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Remove 10.0.0.5 on ports 502, 1502?' }));
  await user.click(await dialog.findByRole('button', { name: 'Remove' }));
  await waitFor(() => expect(screen.queryByText('10.0.0.5 on ports 502, 1502')).toBeNull());
  expect(await stored()).toEqual([]);
});

test('a change made elsewhere is shown at once', async () => {
  openPage(service, '/settings/network');
  await screen.findByText('10.99.0.0/16');
  await screen.findByText('Live');
  await service.request('POST', '/v1/networks', { body: { network: '10.0.0.6' } });
  await screen.findByText('10.0.0.6');
});

test('a wrong network or port is rejected at its field, before and after sending', async () => {
  const { user } = openPage(service, '/settings/network');
  await user.click(await screen.findByRole('button', { name: 'Allow network' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Allow network' }));
  const network = await drawer.findByRole<HTMLInputElement>('textbox', { name: 'Address or network' });
  await fill(user, network, 'plc.local');
  await fill(user, drawer.getByRole('textbox', { name: 'Ports optional' }), '502;503');
  await user.click(drawer.getByRole('button', { name: 'Allow' }));
  await drawer.findByText(/^Enter an IP address such as 10\.0\.0\.5/);
  drawer.getByText('Enter ports from 1 to 65535, separated by commas.');
  await user.clear(drawer.getByRole('textbox', { name: 'Ports optional' }));
  await user.clear(network);
  await fill(user, network, '10.0.0.5/24');
  await user.click(drawer.getByRole('button', { name: 'Allow' }));
  await drawer.findByText(/is an address in the network 10\.0\.0\.0\/24/);
  expect(network.value).toBe('10.0.0.5/24');
  expect(await stored()).toEqual([]);
});

test('without network:manage, the page says so', async () => {
  const { secret } = await service.mintKey(['devices:read']);
  openPage(service, '/settings/network', secret);
  await screen.findByText('You do not have access');
  screen.getByText(/network:manage/);
  expect(screen.queryByRole('button', { name: 'Allow network' })).toBeNull();
});

const fillWebhook = async (user: ReturnType<typeof openPage>['user']) => {
  const drawer = within(await screen.findByRole('dialog', { name: 'Add webhook' }));
  await fill(user, await drawer.findByRole('textbox', { name: 'Name' }), 'Plant');
  await fill(user, drawer.getByRole('textbox', { name: 'Address' }), receiver.url);
  await user.click(drawer.getByRole('button', { name: 'Add webhook' }));
  return drawer;
};

test('a forbidden address is allowed where it was entered, after a question that names it', async () => {
  const { port } = new URL(receiver.url);
  const { user } = openPage(service, '/settings/notifications?create=new');
  const drawer = await fillWebhook(user);
  await user.click(await drawer.findByRole('button', { name: `Allow 127.0.0.1:${port}…` }));
  const dialog = within(
    await screen.findByRole('dialog', { name: `Allow connections to 127.0.0.1:${port}?` }),
  );
  expect((await dialog.findByText(/can then connect to port/)).textContent).toContain(`${port} of 127.0.0.1`);
  expect(await stored()).toEqual([]);
  await user.click(dialog.getByRole('button', { name: 'Allow' }));
  await waitFor(async () =>
    expect(await stored()).toMatchObject([{ network: '127.0.0.1', ports: [Number(port)] }]),
  );
  await waitFor(() => expect(drawer.queryByText(/loopback address/)).toBeNull());
  // The dialog did not submit the form.
  expect((await service.request('GET', '/v1/webhooks')).body.data).toEqual([]);
  await user.click(drawer.getByRole('button', { name: 'Add webhook' }));
  await screen.findByRole('dialog', { name: 'Created Plant' });
});

test('without network:manage, a forbidden address names who can allow it', async () => {
  const { secret } = await service.mintKey(['devices:write', 'events:read', 'devices:read']);
  const { user } = openPage(service, '/settings/notifications?create=new', secret);
  const drawer = await fillWebhook(user);
  await drawer.findByText(/Allow 127\.0\.0\.1:\d+ under Settings → Network \(requires network:manage\)/);
  expect(drawer.queryByRole('button', { name: /^Allow/ })).toBeNull();
});

test('a test of a pipeline that fails for its address offers to allow it', async () => {
  const { user } = openPage(service, '/pipelines/new');
  await fill(user, await screen.findByRole('textbox', { name: 'Name' }), 'Exporter');
  await user.click(await screen.findByRole('radio', { name: /^Polled URL/ }));
  await fill(user, await screen.findByRole('textbox', { name: 'Address' }), 'http://10.0.0.9:9100/metrics');
  await user.click(screen.getByRole('button', { name: 'Test' }));
  await screen.findByText('Source test failed');
  expect(screen.getByText('Not tested')).toBeTruthy();
  await screen.findByRole('button', { name: 'Allow 10.0.0.9:9100…' });
});

test('a test of a pipeline goes on after its address was allowed', async () => {
  let polls = 0;
  const meter = createServer((_, response) => {
    polls += 1;
    response.end('{"device": "meter-1", "power": 21}');
  });
  await new Promise<void>((resolve) => meter.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void meter.close());
  const host = `127.0.0.1:${(meter.address() as AddressInfo).port}`;
  const { user } = openPage(service, '/pipelines/new');
  await fill(user, await screen.findByRole('textbox', { name: 'Name' }), 'Meter');
  await user.click(await screen.findByRole('radio', { name: /^Polled URL/ }));
  await fill(user, await screen.findByRole('textbox', { name: 'Address' }), `http://${host}/`);
  await user.click(screen.getByRole('button', { name: 'Test' }));
  await user.click(await screen.findByRole('button', { name: `Allow ${host}…` }));
  const dialog = within(await screen.findByRole('dialog', { name: `Allow connections to ${host}?` }));
  expect(polls).toBe(0);
  await user.click(await dialog.findByRole('button', { name: 'Allow' }));
  await screen.findByText('Test passed');
  expect(polls).toBe(1);
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Test'));
});

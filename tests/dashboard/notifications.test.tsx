import type { ServerResponse } from 'node:http';
import { screen, waitFor, within } from '@testing-library/react';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { queryClient } from '#dashboard/api/query-client.ts';
import { startReceiver, type Receiver } from '#tests/service/receiver.ts';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { fill } from './fill.ts';
import { openPage, type OpenPage } from './open-page.tsx';

const SECRET = /^whsec_[A-Za-z0-9+/]+=*$/;
const USUAL = [
  'device.offline',
  'pipeline.degraded',
  'pipeline.failed',
  'pipeline.recovered',
  'api-key.expiring',
  'service.storage-low',
];

let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService({ env: { ALLOWED_NETWORKS: '127.0.0.0/8' } });
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});
afterEach(async () => {
  const { body } = await service.request('GET', '/v1/webhooks?limit=200');
  for (const { id } of body.data) await service.request('DELETE', `/v1/webhooks/${id}`);
  receiver.received.length = 0;
  receiver.react = 204;
});

const add = async (name: string, more: Record<string, unknown> = {}) =>
  (
    await service.request('POST', '/v1/webhooks', {
      body: { name, url: receiver.url, events: USUAL, ...more },
    })
  ).body;
const read = async (id: string) => (await service.request('GET', `/v1/webhooks/${id}`)).body;
const listed = async () => (await service.request('GET', '/v1/webhooks')).body.data;
const rowOf = (name: string) => screen.findByRole('row', { name: new RegExp(name) });
const act = async ({ user }: OpenPage, name: string, item: string | RegExp) => {
  await rowOf(name);
  await user.click(screen.getByRole('button', { name: `Actions for ${name}` }));
  await user.click(await screen.findByRole('menuitem', { name: item }));
};
const form = async (title: string) => {
  const drawer = within(await screen.findByRole('dialog', { name: title }));
  await drawer.findByRole('textbox', { name: 'Name' });
  return drawer;
};
const isGenuine = (secret: string, { text, headers }: Receiver['received'][number]): boolean => {
  try {
    new Webhook(secret).verify(text, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
};

test('an empty page explains webhooks and offers to add one', async () => {
  const { user } = openPage(service, '/settings/notifications');
  await screen.findByText('No webhooks yet');
  expect(screen.getByText(/^A webhook sends signed JSON/).textContent).toContain(
    'To notify a chat, paging or ticket service, forward it through a program',
  );
  expect(document.title).toBe('Notifications · Penstock');
  await user.click(screen.getAllByRole('button', { name: 'Add webhook' }).at(-1)!);
  const drawer = await form('Add webhook');
  expect(window.location.search).toBe('?create=new');
  const chosen = drawer
    .getAllByRole<HTMLInputElement>('checkbox')
    .filter(({ checked, name }) => checked && name !== '')
    .map(({ name }) => name);
  expect(chosen.toSorted()).toEqual(USUAL.toSorted());
});

test('a webhook is added by keyboard, and its secret verifies deliveries', async () => {
  const { user } = openPage(service, '/settings/notifications');
  (await screen.findAllByRole('button', { name: 'Add webhook' }))[0]!.focus();
  await user.keyboard('{Enter}');
  const drawer = await form('Add webhook');
  await waitFor(() => expect(document.activeElement).toBe(drawer.getByRole('textbox', { name: 'Name' })));
  await user.keyboard('On-call channel{Tab}');
  await user.keyboard(receiver.url);
  drawer.getByRole('checkbox', { name: 'All events of Devices' }).focus();
  await user.keyboard(' ');
  drawer.getByRole('button', { name: 'Add webhook' }).focus();
  await user.keyboard('{Enter}');

  const dialog = await screen.findByRole('dialog', { name: 'Created On-call channel' });
  const secret = within(dialog).getByText(SECRET).textContent;
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Copy secret'));
  await user.keyboard('{Escape}');
  await within(dialog).findByText(/has not been copied/);
  await user.click(within(dialog).getByRole('button', { name: 'Copy and close' }));
  const next = await screen.findByRole('dialog', { name: 'On-call channel' });
  await within(next).findByRole('button', { name: 'Send test event' });
  expect(await navigator.clipboard.readText()).toBe(secret);
  await waitFor(() => expect(document.body.textContent).not.toContain(secret));

  await service.request('POST', '/v1/devices', { body: { name: 'Boiler 7' } });
  await waitFor(() => expect(receiver.received).toHaveLength(1));
  expect(receiver.received[0]!.body.type).toBe('device.registered');
  expect(isGenuine(secret, receiver.received[0]!)).toBe(true);
});

test('deliveries appear without a reload', async () => {
  await add('On-call channel', { events: ['device.registered'] });
  openPage(service, '/settings/notifications');
  const row = within(await rowOf('On-call channel'));
  row.getByText('No deliveries yet');
  screen.getByRole('columnheader', { name: 'Events delivered' });
  // The stream must be open before the event.
  await screen.findByText('Live');
  await service.request('POST', '/v1/devices', { body: { name: 'Boiler 8' } });
  await row.findByText(/^Delivered/);
  // The event of its own creation has been handled by now, so this refetch has another reason.
  await service.request('POST', '/v1/devices', { body: { name: 'Boiler 10' } });
  await row.findByText('2');
  expect(row.getByText('Active')).toBeTruthy();
});

test('a webhook is limited to a tag and to one delivery a minute, and both can be removed', async () => {
  await service.request('POST', '/v1/devices', {
    body: { name: 'Pump 1', tags: { site: 'north', 'site.old': 'x' } },
  });
  const { user } = openPage(service, '/settings/notifications?create=new');
  const drawer = await form('Add webhook');
  await fill(user, drawer.getByRole('textbox', { name: 'Name' }), 'North');
  await fill(user, drawer.getByRole('textbox', { name: 'Address' }), receiver.url);
  const tag = drawer.getByRole('textbox', { name: /^Only devices with tag/ });
  await fill(user, tag, 'site:');
  await drawer.findByText('No device has this tag.');
  await fill(user, tag, 'north');
  // The count of the tag before is not shown for this one.
  expect(drawer.queryByText('No device has this tag.')).toBeNull();
  await drawer.findByText('1 device has this tag.');
  await user.clear(tag);
  await fill(user, tag, 'site');
  await drawer.findByText('1 device has this tag.');
  await fill(user, tag, ' north');
  await user.click(drawer.getByRole('checkbox', { name: 'At most one delivery a minute' }));
  await user.click(drawer.getByRole('button', { name: 'Add webhook' }));
  await drawer.findByText(/^Must be key or key:value\./);
  await user.clear(tag);
  await fill(user, tag, 'site:north');
  await user.click(drawer.getByRole('button', { name: 'Add webhook' }));
  await screen.findByRole('dialog', { name: 'Created North' });
  const [webhook] = await listed();
  expect(webhook).toMatchObject({ tag: 'site:north', digest: true });
  await user.click(screen.getByRole('button', { name: 'Copy secret' }));
  await user.click(screen.getByRole('button', { name: 'Done' }));
  const details = within(await screen.findByRole('dialog', { name: 'North' }));
  await details.findByText('In digests, at most one a minute');
  details.getByText('Devices with site:north');

  await user.click(details.getByRole('button', { name: 'Edit…' }));
  const edit = await form('Edit webhook');
  await user.clear(edit.getByRole('textbox', { name: /^Only devices with tag/ }));
  await user.click(edit.getByRole('checkbox', { name: 'At most one delivery a minute' }));
  await user.click(edit.getByRole('button', { name: 'Save' }));
  await waitFor(async () => expect(await read(webhook.id)).toMatchObject({ tag: null, digest: false }));
  const after = within(await screen.findByRole('dialog', { name: 'North' }));
  await after.findByText('One for each event');
  after.getByText('Devices');
});

test('the devices of a tag are not counted when too many keys begin with it', async () => {
  // Keys with two devices are listed before keys with one, and a response has 200.
  for (const part of ['a', 'b', 'c', 'd'])
    for (const n of [1, 2]) {
      const keys = Array.from({ length: 50 }, (_, index) => `rack.${part}${index}`);
      const tags = Object.fromEntries(keys.map((key) => [key, '']));
      await service.request('POST', '/v1/devices', { body: { name: `Rack ${part}${n}`, tags } });
    }
  await service.request('POST', '/v1/devices', { body: { name: 'Rack', tags: { rack: '1' } } });
  const { user } = openPage(service, '/settings/notifications?create=new');
  const drawer = await form('Add webhook');
  const tag = drawer.getByRole('textbox', { name: /^Only devices with tag/ });
  await fill(user, tag, 'rack');
  const counts = () =>
    queryClient.getQueriesData({ predicate: ({ queryKey }) => queryKey.at(-1) === 'rack' });
  await waitFor(() => expect(counts()).toMatchObject([[expect.anything(), null]]));
  expect(drawer.queryByText(/this tag\.$/)).toBeNull();
});

test('a forbidden address is rejected at its field, and the input is kept', async () => {
  const { user } = openPage(service, '/settings/notifications?create=new');
  const drawer = await form('Add webhook');
  await fill(user, drawer.getByRole('textbox', { name: 'Name' }), 'Inside');
  const address = drawer.getByRole<HTMLInputElement>('textbox', { name: 'Address' });
  await fill(user, address, 'ftp://10.0.0.8/hook');
  await user.click(drawer.getByRole('button', { name: 'Add webhook' }));
  await drawer.findByText('Must be an http:// or https:// URL.');
  await user.clear(address);
  await fill(user, address, 'http://10.0.0.8/hook');
  await user.click(drawer.getByRole('button', { name: 'Add webhook' }));
  await drawer.findByText(/ALLOWED_NETWORKS/);
  expect(address.getAttribute('aria-invalid')).toBe('true');
  expect(address.value).toBe('http://10.0.0.8/hook');
  expect(await listed()).toEqual([]);
});

test('a webhook without events or with a name in use is rejected at the field', async () => {
  await add('On-call channel');
  const { user } = openPage(service, '/settings/notifications?create=new');
  const drawer = await form('Add webhook');
  await fill(user, drawer.getByRole('textbox', { name: 'Name' }), 'on-call channel');
  await fill(user, drawer.getByRole('textbox', { name: 'Address' }), receiver.url);
  for (const name of ['Went offline', 'Degraded', 'Failed', 'Recovered', 'About to expire', 'Low disk space'])
    await user.click(drawer.getByRole('checkbox', { name }));
  await user.click(drawer.getByRole('button', { name: 'Add webhook' }));
  await drawer.findByText('Choose at least one event.');
  await user.click(drawer.getByRole('checkbox', { name: 'Went offline' }));
  await user.click(drawer.getByRole('button', { name: 'Add webhook' }));
  await drawer.findByText('Already used by another webhook.');
});

test('a test delivery shows the response, or what went wrong', async () => {
  const { id } = await add('On-call channel');
  const page = openPage(service, '/settings/notifications');
  await act(page, 'On-call channel', 'Send test event');
  const drawer = within(await screen.findByRole('dialog', { name: 'On-call channel' }));
  expect(window.location.search).toBe(`?webhook=${id}`);
  await drawer.findByText('Delivered.');
  expect(drawer.getByText(/^204 · [\d,]+ ms$/)).toBeTruthy();
  expect(receiver.received[0]!.body.type).toBe('webhook.test');

  receiver.react = 503;
  await page.user.click(drawer.getByRole('button', { name: 'Send test event' }));
  await drawer.findByText('Not delivered.');
  expect(drawer.getByText(/Answered 503/)).toBeTruthy();
  await service.request('PATCH', `/v1/webhooks/${id}`, { body: { url: 'http://127.0.0.1:9/hook' } });
  await page.user.click(drawer.getByRole('button', { name: 'Send test event' }));
  await drawer.findByText(/refused the connection/);
});

test('a retrying webhook shows its last error and its next attempt, and is retried on request', async () => {
  receiver.react = 500;
  const { id } = await add('Pager', { events: ['device.registered'] });
  await service.request('POST', '/v1/devices', { body: { name: 'Boiler 9' } });
  await waitFor(async () => expect((await read(id)).state).toBe('retrying'));
  const { user } = openPage(service, `/settings/notifications?webhook=${id}`);
  const drawer = within(await screen.findByRole('dialog', { name: 'Pager' }));
  expect((await drawer.findByText('Last error')).nextElementSibling?.textContent).toContain('Answered 500');
  expect(drawer.getByText('Retrying')).toBeTruthy();
  expect(drawer.getByText('Events pending').nextElementSibling?.textContent).toBe('1');
  expect(drawer.getByText('Next attempt')).toBeTruthy();
  // Later retries come after minutes.
  await waitFor(async () => expect(receiver.received).toHaveLength(2), { timeout: 10_000 });
  const retry = () => user.click(drawer.getByRole('button', { name: 'Retry now' }));
  receiver.react = 503;
  await retry();
  const outcome = (await drawer.findByText('Failed again.')).closest('output');
  expect(outcome?.textContent).toContain('Answered 503');
  // Until it is answered, a retry is pending.
  let answer = () => {};
  receiver.react = (response) => {
    answer = () => void response.writeHead(204).end();
  };
  await retry();
  await drawer.findByText('Retrying 1 delivery…');
  await waitFor(() => expect(receiver.received).toHaveLength(4));
  answer();
  await drawer.findByText('Delivered.');
  expect(drawer.getByText('Active')).toBeTruthy();
  expect(drawer.getByText('Events delivered').nextElementSibling?.textContent).toBe('1');
  expect(drawer.getByText('Next attempt').nextElementSibling?.textContent).toMatch(/^None/);

  // Later deliveries have outcomes of their own.
  receiver.react = 500;
  await service.request('POST', '/v1/devices', { body: { name: 'Boiler 11' } });
  await drawer.findByText('Retrying');
  drawer.getByText('Delivered.');
  expect(drawer.queryByText('Failed again.')).toBeNull();
  // A paused webhook retries nothing.
  const held = Promise.withResolvers<ServerResponse>();
  receiver.react = held.resolve;
  await retry();
  await drawer.findByText('Retrying 1 delivery…');
  await service.request('PATCH', `/v1/webhooks/${id}`, { body: { enabled: false } });
  await drawer.findByText('Paused.');
  (await held.promise).writeHead(204).end();
});

test('pausing and resuming happen in place, and can be undone', async () => {
  const { id } = await add('Pager');
  const page = openPage(service, '/settings/notifications');
  await act(page, 'Pager', 'Pause');
  await waitFor(async () => expect((await read(id)).enabled).toBe(false));
  await within(await rowOf('Pager')).findByText('Paused');
  await page.user.click(await screen.findByRole('button', { name: 'Undo' }));
  await waitFor(async () => expect((await read(id)).enabled).toBe(true));
});

test('a concurrent change is not overwritten silently', async () => {
  const { id } = await add('Pagr');
  const { user } = openPage(service, `/settings/notifications?edit=${id}`);
  const drawer = await form('Edit webhook');
  const name = drawer.getByRole<HTMLInputElement>('textbox', { name: 'Name' });
  await waitFor(() => expect(name.value).toBe('Pagr'));
  await user.clear(name);
  await fill(user, name, 'Pager');
  await user.click(drawer.getByRole('checkbox', { name: 'Came online' }));
  await service.request('PATCH', `/v1/webhooks/${id}`, { body: { name: 'Theirs' } });
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  await drawer.findByRole('region', { name: 'Updated elsewhere' });
  expect((await read(id)).name).toBe('Theirs');
  await user.click(drawer.getByRole('button', { name: 'Keep all mine' }));
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  await waitFor(async () =>
    expect(await read(id)).toMatchObject({
      name: 'Pager',
      events: expect.arrayContaining([...USUAL, 'device.online']),
    }),
  );
});

test('a new secret is shown once, and deliveries carry both signatures during the overlap', async () => {
  const { id, secret: old } = await add('Pager');
  const page = openPage(service, '/settings/notifications');
  await act(page, 'Pager', 'Rotate secret…');
  const question = within(await screen.findByRole('dialog', { name: 'Rotate secret of Pager' }));
  await page.user.click(question.getByRole('radio', { name: /^1 hour/ }));
  await page.user.click(question.getByRole('button', { name: 'Rotate' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'New secret for Pager' }));
  const fresh = (await dialog.findByText(SECRET)).textContent;
  expect(fresh).not.toBe(old);
  await service.request('POST', `/v1/webhooks/${id}/test`);
  expect([old, fresh].map((secret) => isGenuine(secret, receiver.received[0]!))).toEqual([true, true]);
  await page.user.click(dialog.getByRole('button', { name: 'Copy secret' }));
  await page.user.click(dialog.getByRole('button', { name: 'Done' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('deleting names the consequences and asks for the name', async () => {
  const { id } = await add('Pager');
  const { user } = openPage(service, `/settings/notifications?webhook=${id}`);
  const drawer = within(await screen.findByRole('dialog', { name: 'Pager' }));
  await user.click(await drawer.findByRole('button', { name: 'Delete…' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete Pager?' }));
  expect(
    dialog.getByText(
      /Penstock stops sending events to ?: Devices: went offline; Pipelines: degraded, failed, recovered; API keys/,
    ),
  ).toBeTruthy();
  await user.type(dialog.getByRole('textbox', { name: /Type “Pager”/ }), 'Pager{Enter}');
  await screen.findByText('No webhooks yet');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(await listed()).toEqual([]);
});

test('a read-only key sees the webhooks and no actions', async () => {
  const { id } = await add('Pager');
  const { secret } = await service.mintKey(['events:read']);
  openPage(service, `/settings/notifications?webhook=${id}`, secret);
  const drawer = within(await screen.findByRole('dialog', { name: 'Pager' }));
  await drawer.findByText('Went offline');
  expect(
    screen.queryByRole('button', {
      name: /Add webhook|Delete|Edit|Send test event|Retry now|Actions for|Rotate secret/,
      hidden: true,
    }),
  ).toBeNull();
});

test('without events:read the page names the missing scope', async () => {
  const { secret } = await service.mintKey(['devices:read']);
  openPage(service, '/settings/notifications', secret);
  await screen.findByText('You do not have access');
  expect(screen.getByText(/events:read/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Add webhook' })).toBeNull();
});

test('a form that the key may not submit names the missing scope instead of its fields', async () => {
  const { secret } = await service.mintKey(['devices:read', 'events:read']);
  openPage(service, '/settings/notifications?create=new', secret);
  const drawer = within(await screen.findByRole('dialog', { name: 'Add webhook' }));
  await drawer.findByText('You do not have access');
  expect(drawer.getByText('Your key lacks devices:write. Ask an administrator.')).toBeTruthy();
  expect(drawer.queryByRole('textbox')).toBeNull();
  expect(drawer.getByRole<HTMLButtonElement>('button', { name: 'Add webhook' }).disabled).toBe(true);
});

test('Activity links to the webhook', async () => {
  const { id } = await add('Pager');
  openPage(service, `/activity?subject=${id}`);
  const link = await screen.findByRole('link', { name: 'Pager' });
  expect(link.getAttribute('href')).toBe(`/settings/notifications?webhook=${id}`);
});

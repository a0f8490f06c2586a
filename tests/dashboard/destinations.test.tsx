import { screen, waitFor, within } from '@testing-library/react';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { freePort } from '#tests/service/free-port.ts';
import { startReceiver, type Receiver } from '#tests/service/receiver.ts';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { createPipelineInReview, openStep } from './open-step.ts';
import { failRequests } from './fail-requests.ts';
import { fill } from './fill.ts';
import { openPage, type OpenPage } from './open-page.tsx';

const SECRET = /^whsec_[A-Za-z0-9+/]+=*$/;

let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService({ env: { ALLOWED_NETWORKS: '127.0.0.0/8', SEED: 'none' } });
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});
afterEach(async () => {
  const pipelines = (await service.request('GET', '/v1/pipelines?limit=200')).body.data;
  for (const { id } of pipelines) await service.request('DELETE', `/v1/pipelines/${id}?discard=true`);
  for (const { id, type } of await listed())
    if (type !== 'telemetry') await service.request('DELETE', `/v1/destinations/${id}`);
  receiver.received.length = 0;
  receiver.react = 204;
});

const add = async (name: string, more: Record<string, unknown> = {}) => {
  const { status, body } = await service.request('POST', '/v1/destinations', {
    body: { name, type: 'webhook', url: receiver.url, ...more },
  });
  expect(status).toBe(201);
  return body;
};
const listed = async () => (await service.request('GET', '/v1/destinations?limit=200')).body.data;
const read = async (id: string) => (await service.request('GET', `/v1/destinations/${id}`)).body;
const addPipeline = async (name: string, destination: string) =>
  (
    await service.request('POST', '/v1/pipelines', {
      body: { name, type: 'http', interval: 1, destination },
    })
  ).body;
const rowOf = (name: string) => screen.findByRole('row', { name: new RegExp(name) });
const act = async ({ user }: OpenPage, name: string, item: string) => {
  await rowOf(name);
  await user.click(screen.getByRole('button', { name: `Actions for ${name}` }));
  await user.click(await screen.findByRole('menuitem', { name: item }));
};
const form = async (title = 'Add destination') => {
  const dialog = await screen.findByRole('dialog', { name: title });
  // A menu that still closes would take the focus.
  await waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true));
  const drawer = within(dialog);
  await drawer.findByRole('textbox', { name: 'Name' });
  return drawer;
};

test('with only the built-in store, the page explains external destinations', async () => {
  const { user } = openPage(service, '/settings/destinations');
  await screen.findByText('No external destinations yet');
  expect(document.title).toBe('Destinations · Penstock');
  const row = within(await rowOf('telemetry'));
  expect(row.getByText('Healthy')).toBeTruthy();
  expect(await row.findByText('Built-in store')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Actions for telemetry' }));
  await screen.findByRole('menuitem', { name: 'Test' });
  expect(screen.queryByRole('menuitem', { name: /Edit|Delete/ })).toBeNull();
  await user.keyboard('{Escape}');
  await user.click(screen.getByRole('button', { name: 'Add the first destination' }));
  await form();
  expect(window.location.search).toBe('?create=new');
});

test('a destination is added by keyboard from the fields of its type, and tested', async () => {
  const { user } = openPage(service, '/settings/destinations');
  (await screen.findByRole('button', { name: 'Add destination' })).focus();
  await user.keyboard('{Enter}');
  const drawer = await form();
  await waitFor(() => expect(document.activeElement).toBe(drawer.getByRole('textbox', { name: 'Name' })));
  await user.keyboard('Plant broker');
  drawer.getByRole('radio', { name: /^MQTT/ }).focus();
  await user.keyboard(' ');
  expect(drawer.getByRole('textbox', { name: 'Topic optional' }).getAttribute('placeholder')).toBe(
    'penstock/{device}/telemetry',
  );
  drawer.getByRole('textbox', { name: 'Broker' }).focus();
  await user.keyboard(`mqtt://127.0.0.1:${await freePort()}{Tab}`);
  await user.type(drawer.getByLabelText(/^Password/), 'canary');
  drawer.getByRole('button', { name: 'Add destination' }).focus();
  await user.keyboard('{Enter}');

  const next = within(await screen.findByRole('dialog', { name: 'Plant broker' }));
  await next.findByText('Stored secret');
  await user.click(next.getByRole('button', { name: 'Test' }));
  await next.findByText('Test failed');
  expect(next.getAllByText(/refused the connection/).length).toBeGreaterThan(0);
  // Nothing was delivered yet.
  expect(next.getByText('Not used yet')).toBeTruthy();
  expect(document.body.textContent).not.toContain('canary');
  const [made] = (await listed()).filter(({ name }: { name: string }) => name === 'Plant broker');
  expect(made).toMatchObject({ type: 'mqtt', options: { password: '***' } });
});

test('a missing or invalid field is reported at the field, before and after sending', async () => {
  const { user } = openPage(service, '/settings/destinations?create=new');
  const drawer = await form();
  await user.click(drawer.getByRole('button', { name: 'Add destination' }));
  await drawer.findByText('Choose a type.');
  await fill(user, drawer.getByRole('textbox', { name: 'Name' }), 'TELEMETRY');
  await user.click(drawer.getByRole('radio', { name: /^InfluxDB/ }));
  await fill(user, drawer.getByRole('textbox', { name: 'Server' }), 'ftp://10.0.0.8');
  await user.click(drawer.getByRole('button', { name: 'Add destination' }));
  await drawer.findByText('Must be a URL that begins with http:// or https://.');
  await drawer.findByText(/^Enter a database/);
  const server = drawer.getByRole<HTMLInputElement>('textbox', { name: 'Server' });
  await user.clear(server);
  await fill(user, server, 'http://10.0.0.8:8086');
  await fill(user, drawer.getByRole('textbox', { name: 'Database optional' }), 'plant');
  await user.click(drawer.getByRole('button', { name: 'Add destination' }));
  await drawer.findByText(/ALLOWED_NETWORKS/);
  expect(server.value).toBe('http://10.0.0.8:8086');
  await user.clear(server);
  await fill(user, server, 'http://127.0.0.1:8086');
  await user.click(drawer.getByRole('button', { name: 'Add destination' }));
  await drawer.findByText('Already used by another destination.');
  expect(await listed()).toHaveLength(1);
});

test('submitting an empty form focuses its first field', async () => {
  const { user } = openPage(service, '/settings/destinations?create=new');
  const drawer = await form();
  await user.click(drawer.getByRole('radio', { name: /^Webhook/ }));
  await user.click(drawer.getByRole('button', { name: 'Add destination' }));
  await drawer.findAllByText('Must not be empty.');
  await waitFor(() => expect(document.activeElement).toBe(drawer.getByRole('textbox', { name: 'Name' })));
});

test('a destination that writes files shows their folder', async () => {
  const add = (name: string, options: object) =>
    service.request('POST', '/v1/destinations', { body: { name, type: 'file', options } });
  const { body: unnamed } = await add('archive', { format: 'csv' });
  await add('press files', { format: 'csv', folder: 'press' });
  openPage(service, '/settings/destinations');
  await screen.findByText('exports/press in the data directory');
  await screen.findByText(`exports/${unnamed.id} in the data directory`);
});

test('the signing secret of a webhook is shown once, and cannot be left uncopied by accident', async () => {
  const { user } = openPage(service, '/settings/destinations?create=new');
  const drawer = await form();
  await fill(user, drawer.getByRole('textbox', { name: 'Name' }), 'Data lake');
  await user.click(drawer.getByRole('radio', { name: /^Webhook/ }));
  await fill(user, drawer.getByRole('textbox', { name: 'Address' }), receiver.url);
  await user.click(drawer.getByRole('button', { name: 'Add destination' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Created Data lake' }));
  const secret = dialog.getByText(SECRET).textContent;
  await user.keyboard('{Escape}');
  await dialog.findByText(/has not been copied/);
  await user.click(dialog.getByRole('button', { name: 'Copy and close' }));
  const next = within(await screen.findByRole('dialog', { name: 'Data lake' }));
  await next.findByRole('button', { name: 'Test' });
  expect(await navigator.clipboard.readText()).toBe(secret);
  await waitFor(() => expect(document.body.textContent).not.toContain(secret));
  expect(() => new Webhook(secret)).not.toThrow();
});

test('a secret stays until another is typed, and other fields can be changed', async () => {
  const { id } = await add('Lake', { options: { headers: { Authorization: 'Bearer canary' } } });
  const page = openPage(service, '/settings/destinations');
  await act(page, 'Lake', 'Edit…');
  const drawer = await form('Edit destination');
  const header = within(drawer.getByRole('group', { name: 'Header 1' }));
  const cells = header.getAllByRole<HTMLInputElement>('textbox').map(({ value }) => value);
  expect(cells).toEqual(['Authorization', '***']);
  const name = drawer.getByRole('textbox', { name: 'Name' });
  await page.user.clear(name);
  await page.user.type(name, 'Data lake');
  await page.user.type(drawer.getByRole('textbox', { name: 'Batch size optional' }), '100');
  await page.user.click(drawer.getByRole('button', { name: 'Save' }));
  await waitFor(async () =>
    expect(await read(id)).toMatchObject({
      name: 'Data lake',
      options: { headers: { Authorization: '***' }, batchSize: 100 },
    }),
  );
  // At a new address the secret must be sent again, which is reported at its field.
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Edit destination' })).toBeNull());
  await act(page, 'Data lake', 'Edit…');
  const again = await form('Edit destination');
  const address = again.getByRole('textbox', { name: 'Address' });
  await page.user.clear(address);
  await page.user.type(address, 'http://127.0.0.1:9/elsewhere');
  await page.user.click(again.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(again.getByRole('textbox', { name: 'Header' }).getAttribute('aria-invalid')).toBe('true'),
  );
});

test('a concurrent change is not overwritten silently', async () => {
  const { id } = await add('Lke');
  const { user } = openPage(service, `/settings/destinations?edit=${id}`);
  const drawer = await form('Edit destination');
  const name = drawer.getByRole<HTMLInputElement>('textbox', { name: 'Name' });
  await waitFor(() => expect(name.value).toBe('Lke'));
  await user.clear(name);
  await fill(user, name, 'Lake');
  await service.request('PATCH', `/v1/destinations/${id}`, { body: { name: 'Theirs' } });
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  await drawer.findByRole('region', { name: 'Updated elsewhere' });
  await user.click(drawer.getByRole('button', { name: 'Keep all mine' }));
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  await waitFor(async () => expect((await read(id)).name).toBe('Lake'));
});

test('a destination in use is not deleted and lists its pipelines', async () => {
  await add('Lake');
  await addPipeline('Hall 3', 'lake');
  await addPipeline('Hall 4', 'telemetry');
  const page = openPage(service, '/settings/destinations');
  expect(within(await rowOf('Lake')).getByRole('link', { name: '1 pipeline' })).toBeTruthy();
  await act(page, 'Lake', 'Delete…');
  const dialog = within(await screen.findByRole('dialog', { name: 'Lake is in use' }));
  expect(await dialog.findByRole('link', { name: 'Hall 3' })).toBeTruthy();
  await page.user.click(dialog.getByRole('link', { name: 'Show pipelines' }));
  await screen.findByRole('heading', { level: 1, name: 'Pipelines' });
  await screen.findByRole('row', { name: /Hall 3/ });
  expect(screen.queryByRole('row', { name: /Hall 4/ })).toBeNull();
  await page.user.click(await screen.findByRole('button', { name: 'Remove filter Destination Lake' }));
  await screen.findByRole('row', { name: /Hall 4/ });
});

test('a destination that a pipeline began to use is not deleted', async () => {
  const { id } = await add('Lake');
  const { user } = openPage(service, `/settings/destinations?destination=${id}`);
  const drawer = within(await screen.findByRole('dialog', { name: 'Lake' }));
  await user.click(await drawer.findByRole('button', { name: 'Delete…' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete Lake?' }));
  await addPipeline('Hall 3', 'Lake');
  await user.type(dialog.getByRole('textbox', { name: /Type “Lake”/ }), 'Lake{Enter}');
  const used = within(await screen.findByRole('dialog', { name: 'Lake is in use' }));
  await used.findByRole('link', { name: 'Hall 3' });
  expect((await listed()).length).toBe(2);
});

test('pipelines of a destination in use that do not load are reported, and load again', async () => {
  await add('Lake');
  await addPipeline('Hall 3', 'lake');
  const page = openPage(service, '/settings/destinations');
  await rowOf('Lake');
  const endFailures = failRequests(
    ({ pathname, searchParams }) => pathname === '/v1/pipelines' && searchParams.has('destination'),
  );
  await act(page, 'Lake', 'Delete…');
  const dialog = within(await screen.findByRole('dialog', { name: 'Lake is in use' }));
  const again = await dialog.findByRole('button', { name: 'Try again' });
  endFailures();
  await page.user.click(again);
  await dialog.findByRole('link', { name: 'Hall 3' });
});

test('deleting asks for the name', async () => {
  await add('Lake');
  const page = openPage(service, '/settings/destinations');
  await act(page, 'Lake', 'Delete…');
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete Lake?' }));
  await page.user.type(dialog.getByRole('textbox', { name: /Type “Lake”/ }), 'Lake{Enter}');
  await screen.findByText('No external destinations yet');
  expect(await listed()).toHaveLength(1);
});

test('a read-only key sees the destinations, no actions, and the reason', async () => {
  const { id } = await add('Lake');
  const { secret } = await service.mintKey(['pipelines:read']);
  openPage(service, `/settings/destinations?destination=${id}`, secret);
  const drawer = within(await screen.findByRole('dialog', { name: 'Lake' }));
  await drawer.findByText(/You need pipelines:write/);
  expect(
    screen.queryByRole('button', { name: /Add destination|Delete|Edit|^Test$|Actions for/, hidden: true }),
  ).toBeNull();
});

test('without pipelines:read the page names the missing scope', async () => {
  const { secret } = await service.mintKey(['devices:read']);
  openPage(service, '/settings/destinations', secret);
  await screen.findByText('You do not have access');
  expect(screen.getByText(/pipelines:read/)).toBeTruthy();
});

test('a destination is added from the pipeline form, and chosen', async () => {
  await add('Lake');
  const { user } = openPage(service, '/pipelines/new');
  await fill(user, await screen.findByRole('textbox', { name: 'Name' }), 'Hall 5');
  await user.click(await screen.findByRole('radio', { name: /^HTTP/ }));
  await openStep(user, 'Destination');
  await user.click(screen.getByRole('combobox', { name: 'Destination' }));
  await screen.findByRole('option', { name: /^Lake.*Webhook, not used yet/ });
  await user.keyboard('{Escape}');
  await user.click(screen.getByRole('button', { name: 'Add destination…' }));
  const drawer = await form();
  await fill(user, drawer.getByRole('textbox', { name: 'Name' }), 'Archive');
  await user.click(drawer.getByRole('radio', { name: /^Files/ }));
  await user.click(drawer.getByRole('button', { name: 'Add destination' }));
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Add destination' })).toBeNull());
  expect(screen.getByRole('combobox', { name: 'Destination' }).textContent).toBe('Archive');
  await createPipelineInReview(user);
  await screen.findByRole('heading', { level: 1, name: 'Hall 5' });
  const { data } = (await service.request('GET', '/v1/pipelines?destination=archive')).body;
  expect(data).toMatchObject([{ name: 'Hall 5', destination: 'Archive' }]);
  expect(await screen.findByRole('link', { name: 'Archive' })).toBeTruthy();
});

test('the notice of a full spool names the error of the destination once', async () => {
  const own = await startTestService({ env: { ALLOWED_NETWORKS: '127.0.0.0/8', SPOOL_LIMIT_MB: '1' } });
  onTestFinished(() => own.close());
  receiver.react = 503;
  await own.request('POST', '/v1/destinations', {
    body: { name: 'Full', type: 'webhook', url: receiver.url },
  });
  const { body: pipeline } = await own.request('POST', '/v1/pipelines', {
    body: { name: 'Hall 7', type: 'http', interval: 1, destination: 'Full' },
  });
  const values = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`text-${n}`, 'x'.repeat(1_000)]));
  const send = () =>
    own.request('POST', `/v1/pipelines/${pipeline.id}/messages?device=hall-7`, { body: values });
  while ((await send()).status === 202);
  openPage(own, `/pipelines/${pipeline.id}`);
  const notice = await screen.findByRole('region', { name: 'State' });
  await waitFor(() => expect(notice.textContent).toMatch(/^Spool full.*Full does not accept samples/));
  expect(notice.textContent.match(/Answered 503/g)).toHaveLength(1);
});

test('while a destination is down its pipeline reports it and the spooled samples; then all are delivered', async () => {
  const { id: destinationId } = await add('Lake');
  const { id } = await addPipeline('Hall 6', 'Lake');
  receiver.react = 503;
  const { user } = openPage(service, `/pipelines/${id}`);
  await screen.findByText('Live');
  await service.request('POST', `/v1/pipelines/${id}/messages?device=hall-6`, { body: { t: 1, h: 2 } });
  const waiting = within(await screen.findByRole('region', { name: 'Waiting for Lake' }));
  expect(await waiting.findByText('Not draining')).toBeTruthy();
  await screen.findByText('received 2 = delivered 0 + pending 2 + rejected 0');
  const state = within(await screen.findByRole('region', { name: 'State' }));
  expect(await state.findByText(/Answered 503/)).toBeTruthy();
  expect(await state.findByText(/does not accept samples/)).toBeTruthy();
  await user.click(await state.findByRole('link', { name: 'Show destination' }));
  const drawer = within(await screen.findByRole('dialog', { name: 'Lake' }));
  expect(await drawer.findByText(/Answered 503/)).toBeTruthy();
  expect(drawer.getByText('Retrying')).toBeTruthy();

  receiver.react = 204;
  await user.click(drawer.getByRole('button', { name: 'Test' }));
  await drawer.findByText('Test passed');
  await waitFor(async () => expect((await read(destinationId)).state).toBe('healthy'));
  await drawer.findByText('Healthy');
  await user.click(drawer.getByRole('link', { name: '1 pipeline' }));
  await user.click(await screen.findByRole('link', { name: 'Hall 6' }));
  await screen.findByText('received 2 = delivered 2 + pending 0 + rejected 0');
  const drained = within(screen.getByRole('region', { name: 'Waiting for Lake' }));
  expect(drained.getByText('0 bytes')).toBeTruthy();
});

test('Activity links to the destination', async () => {
  const { id } = await add('Lake');
  openPage(service, `/activity?subject=${id}`);
  const link = await screen.findByRole('link', { name: 'Lake' });
  expect(link.getAttribute('href')).toBe(`/settings/destinations?destination=${id}`);
});

import { screen, waitFor, within } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { pipelineColumns } from '#dashboard/pages/pipelines/pipeline-columns.tsx';
import { fitColumns } from '#dashboard/ui/table/fitting-columns.ts';
import { summaryOf } from '#dashboard/resources/pipelines/pipeline-state.tsx';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { openPage } from './open-page.tsx';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
});
afterAll(() => service.close());
afterEach(async () => {
  const { body } = await service.request('GET', '/v1/pipelines?limit=200');
  for (const { id } of body.data) await service.request('DELETE', `/v1/pipelines/${id}?discard=true`);
});

const create = async (name: string, more: Record<string, unknown> = {}): Promise<string> => {
  const { body } = await service.request('POST', '/v1/pipelines', {
    body: { name, type: 'http', interval: 10, destination: 'telemetry', ...more },
  });
  return body.id;
};
const send = (id: string, message: unknown) =>
  service.request('POST', `/v1/pipelines/${id}/messages?device=boiler-7`, { body: message });
const rowOf = (name: string) => screen.findByRole('row', { name: new RegExp(name) });

test('a row shows the state with its reason, the interval, the destination and the ledger', async () => {
  await create('Compressor', { type: 'opc-ua', destination: 'influx' });
  await create('PLC', { type: 'modbus' });
  await create('Own', { type: 'host', interval: 3_600, enabled: false });
  const id = await create('Gateway');
  await send(id, { temp: 21, humidity: 40 });
  await send(id, '{"temp": nonsense');
  openPage(service, '/pipelines');
  const draft = await rowOf('Compressor');
  expect(within(draft).getByText('Draft')).toBeTruthy();
  expect(within(draft).getByText(/Unknown type: opc-ua/)).toBeTruthy();
  expect(within(draft).getByText('influx')).toBeTruthy();
  expect(within(await rowOf('PLC')).getByText('host: Required (string).')).toBeTruthy();
  const gateway = await rowOf('Gateway');
  expect(await within(gateway).findByText('HTTP')).toBeTruthy();
  expect(gateway.textContent).not.toMatch(/on arrival|10 s/);
  expect(within(gateway).getByText('1 rejected')).toBeTruthy();
  expect(
    within(gateway).getByRole('img', { name: 'received 3 = delivered 2 + pending 0 + rejected 1' }),
  ).toBeTruthy();
  expect(within(await rowOf('Own')).getByText('every 1 h')).toBeTruthy();
});

test('a draft looks neutral, like a paused pipeline: it is no fault', async () => {
  await create('Unfinished', { type: 'opc-ua' });
  openPage(service, '/pipelines?q=Unfinished');
  const dotIn = (element: HTMLElement) => element.querySelector('[aria-hidden]')?.className;
  const toggles = within(await screen.findByRole('group', { name: 'State' }));
  const dotOf = (name: string) => dotIn(toggles.getByRole('button', { name }));
  expect(dotOf('Draft')).toBe(dotOf('Paused'));
  expect(dotOf('Draft')).not.toBe(dotOf('Degraded'));
  expect(dotIn(within(await rowOf('Unfinished')).getByText('Draft'))).toBe(dotOf('Paused'));
});

test('a source has been failing for a time, also if only a change of the pipeline ends it', () => {
  const stateReason = { code: 'source', since: '2026-11-21T09:30:00.000Z', detail: '' } as const;
  for (const state of ['degraded', 'failed'] as const)
    expect(summaryOf({ state, stateReason })).toBe('Source failing');
});

test('the ledger updates live', async () => {
  const id = await create('Gateway');
  openPage(service, '/pipelines');
  const row = await rowOf('Gateway');
  expect(within(row).getByText('None yet')).toBeTruthy();
  await waitFor(() => expect(screen.getByText('Live')).toBeTruthy());
  await send(id, { temp: 21 });
  await within(row).findByRole('img', { name: 'received 1 = delivered 1 + pending 0 + rejected 0' });
  expect(within(row).queryByText('None yet')).toBeNull();
});

test('a row is marked when somebody else changes the pipeline', async () => {
  const id = await create('Gateway');
  openPage(service, '/pipelines');
  await rowOf('Gateway');
  await waitFor(() => expect(screen.getByText('Live')).toBeTruthy());
  await service.request('PATCH', `/v1/pipelines/${id}`, { body: { name: 'Gateway 2' } });
  const row = await rowOf('Gateway 2');
  await waitFor(() => expect(row.querySelector('.row-changed')).not.toBeNull());
});

test('states and types filter the list, and are in the URL', async () => {
  await create('Gateway');
  await create('Quiet', { enabled: false });
  await create('Broker', { type: 'mqtt', enabled: false });
  const { user } = openPage(service, '/pipelines');
  await rowOf('Gateway');
  await user.click(screen.getByRole('button', { name: 'Paused' }));
  await waitFor(() => expect(screen.queryByRole('row', { name: /Gateway/ })).toBeNull());
  await user.click(screen.getByRole('button', { name: 'Filter' }));
  await user.click(await screen.findByRole('menuitemcheckbox', { name: 'HTTP' }));
  await waitFor(() => expect(screen.queryByRole('row', { name: /Broker/ })).toBeNull());
  expect(window.location.search).toBe('?state=paused&type=http');
  expect(await rowOf('Quiet')).toBeTruthy();
});

test('Clear all removes all filters, the states as well', async () => {
  await create('Gateway');
  const { user } = openPage(service, '/pipelines?state=paused&type=http&destination=telemetry&sort=-name');
  await user.click(await screen.findByRole('button', { name: 'Clear all' }));
  await rowOf('Gateway');
  expect(window.location.search).toBe('?sort=-name');
});

test('the service sorts the list, and the URL keeps the order', async () => {
  await create('Anna');
  await create('Zoe');
  openPage(service, '/pipelines?sort=-name');
  await rowOf('Anna');
  const names = screen.getAllByRole('row').map((row) => row.textContent ?? '');
  expect(names.findIndex((text) => text.includes('Zoe'))).toBeLessThan(
    names.findIndex((text) => text.includes('Anna')),
  );
});

test('pausing happens in place, and the toast undoes it', async () => {
  const id = await create('Gateway');
  const { user } = openPage(service, '/pipelines');
  await user.click(await screen.findByRole('button', { name: 'Pause Gateway' }));
  await within(await rowOf('Gateway')).findByText('Paused');
  expect((await service.request('GET', `/v1/pipelines/${id}`)).body.enabled).toBe(false);
  const undo = await screen.findByRole('button', { name: 'Undo' });
  expect(screen.queryAllByRole('button', { name: 'Dismiss' }), 'for screen readers too').not.toHaveLength(0);
  await user.click(undo);
  await within(await rowOf('Gateway')).findByText('Running');
  expect((await service.request('GET', `/v1/pipelines/${id}`)).body.enabled).toBe(true);
});

test('without pipelines the page offers the next step', async () => {
  openPage(service, '/pipelines');
  const link = await screen.findByRole('link', { name: 'Create the first pipeline' });
  expect(link.getAttribute('href')).toBe('/pipelines/new');
});

test('a read-only key sees no actions', async () => {
  await create('Gateway');
  const { secret } = await service.mintKey(['pipelines:read']);
  openPage(service, '/pipelines', secret);
  await rowOf('Gateway');
  await waitFor(() => expect(screen.queryByRole('link', { name: 'New pipeline' })).toBeNull());
  expect(screen.queryByRole('button', { name: 'Pause Gateway' })).toBeNull();
});

test('a window of 768 px shows type and ledger', () => {
  const ids = fitColumns(pipelineColumns([]), 568).map(({ id }) => id);
  expect(ids).toEqual(['state', 'name', 'reason', 'type', 'ledger']);
});

test('a window of 1,024 px shows the throughput too', () => {
  const ids = fitColumns(pipelineColumns([]), 663).map(({ id }) => id);
  expect(ids).toEqual(['state', 'name', 'reason', 'type', 'throughput', 'ledger']);
});

test('all columns fit a window of 1,280 px', () => {
  const columns = pipelineColumns([]);
  // Of the window without the navigation, a scrollbar, the padding of a row and its actions.
  expect(fitColumns(columns, 915)).toEqual(columns);
});

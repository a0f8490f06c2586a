import { screen, waitFor, within } from '@testing-library/react';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { openPage } from './open-page.tsx';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
});
afterAll(() => service.close());

const create = async (name: string, more: Record<string, unknown> = {}): Promise<string> => {
  const { body } = await service.request('POST', '/v1/pipelines', {
    body: { name, type: 'http', interval: 10, destination: 'telemetry', ...more },
  });
  return body.id;
};
const send = (id: string, message: unknown, query = '?device=boiler-7') =>
  service.request('POST', `/v1/pipelines/${id}/messages${query}`, { body: message });
const rejections = () => screen.findByRole('region', { name: 'Rejections' });

// First: later the stream also tells what happened before the page was opened, and that has it read again as well.
test('the reason of a state that changes while one looks comes with it', async () => {
  const id = await create('Turning');
  openPage(service, `/pipelines/${id}`);
  await screen.findByText('Running');
  await screen.findByText('Live');
  await send(id, 'nonsense');
  const notice = await screen.findByRole('region', { name: 'State' });
  await within(notice).findByText(/1 of 1 values of the last 5 minutes were rejected/);
});

test('the ledger adds up in words', async () => {
  const id = await create('Counted');
  await send(id, { temp: 21, humidity: 40, list: [1] });
  openPage(service, `/pipelines/${id}`);
  expect(await screen.findByText('received 3 = delivered 2 + pending 0 + rejected 1')).toBeTruthy();
});

test('rejections stand by cause with the message, and one cause can be looked at alone', async () => {
  const id = await create('Rejecting');
  await send(id, '{"temp": nonsense');
  await send(id, { temp: 21 }, '');
  await send(id, { temp: 22 }, '');
  const { user } = openPage(service, `/pipelines/${id}`);
  const panel = await rejections();
  const causes = await within(panel).findByRole('list', { name: 'Causes' });
  expect(
    within(causes)
      .getAllByRole('button')
      .map((button) => button.textContent),
  ).toEqual(['No device named2 values', 'Not JSON1 value']);
  expect(within(panel).getByText('{"temp": nonsense')).toBeTruthy();
  await user.click(within(causes).getByRole('button', { name: /No device named/ }));
  await waitFor(() => expect(within(panel).queryByText('{"temp": nonsense')).toBeNull());
  expect(await within(panel).findByText('{"temp":21}')).toBeTruthy();
  expect(window.location.search).toBe('?reason=device-missing');
  await service.request('PATCH', `/v1/pipelines/${id}`, { body: { config: { device: 'named' } } });
  await user.click(within(panel).getByRole('button', { name: 'Replay this cause' }));
  expect(await screen.findByText('2 values taken')).toBeTruthy();
  expect(await screen.findByText('received 3 = delivered 2 + pending 0 + rejected 1')).toBeTruthy();
});

test('a rejected message can be tried in the preview', async () => {
  const id = await create('Tried');
  await send(id, '{"temp": nonsense');
  const { user } = openPage(service, `/pipelines/${id}`);
  await user.click(await screen.findByRole('link', { name: 'Try it in the preview' }));
  expect(await screen.findByRole('textbox', { name: /^Message/ })).toHaveProperty(
    'value',
    '{"temp": nonsense',
  );
  expect(await screen.findByText('Not JSON')).toBeTruthy();
});

test('what is being read stays where it is while more is rejected, until one asks for it', async () => {
  const id = await create('Moving');
  await send(id, 'first');
  const { user } = openPage(service, `/pipelines/${id}`);
  const panel = await rejections();
  await within(panel).findByText('first');
  await screen.findByText('Live');
  await send(id, 'second');
  await within(panel).findByText('1 more value rejected since this was read');
  expect(within(panel).queryByText('second')).toBeNull();
  await user.click(within(panel).getByRole('button', { name: 'Show the newest' }));
  expect(await within(panel).findByText('second')).toBeTruthy();
});

test('the texts of rejections are discarded after a question, and stay counted', async () => {
  const id = await create('Discarding');
  await send(id, 'nonsense');
  const { user } = openPage(service, `/pipelines/${id}`);
  await user.click(await screen.findByRole('button', { name: 'Discard texts…' }));
  const dialog = await screen.findByRole('dialog');
  await user.click(within(dialog).getByRole('button', { name: 'Discard texts' }));
  expect(await screen.findByText('No texts are kept')).toBeTruthy();
  expect(screen.getByText('received 1 = delivered 0 + pending 0 + rejected 1')).toBeTruthy();
});

test('rejections are replayed from where they are read, and it is said what became of them', async () => {
  const id = await create('Replaying');
  await send(id, 'nonsense');
  const { user } = openPage(service, `/pipelines/${id}`);
  const panel = await rejections();
  await user.click(await within(panel).findByRole('button', { name: 'Replay' }));
  expect(await screen.findByText('0 values taken, 1 still rejected')).toBeTruthy();
  await service.request('PATCH', `/v1/pipelines/${id}`, {
    body: {
      mapping: { format: 'expression', expression: '{ "device": "mended", "values": { "text": $ } }' },
    },
  });
  await user.click(within(panel).getByRole('button', { name: 'Replay all' }));
  expect(await screen.findByText('1 value taken')).toBeTruthy();
  expect(await screen.findByText('Nothing was rejected')).toBeTruthy();
  expect(await screen.findByText('received 1 = delivered 1 + pending 0 + rejected 0')).toBeTruthy();
});

test('a paused pipeline says what that means, and resumes from there', async () => {
  const id = await create('Paused one', { enabled: false });
  const { user } = openPage(service, `/pipelines/${id}`);
  const notice = await screen.findByRole('region', { name: 'State' });
  expect(within(notice).getByText('Paused: what is sent to it is refused')).toBeTruthy();
  await user.click(within(notice).getByRole('button', { name: 'Resume' }));
  await screen.findByText('Running');
  expect(screen.queryByRole('region', { name: 'State' })).toBeNull();
});

test('a line to send with has the address of the pipeline', async () => {
  const id = await create('Sendable');
  openPage(service, `/pipelines/${id}`);
  const snippet = await screen.findByRole('region', { name: 'curl' });
  expect(snippet.textContent).toContain(`'${service.url}/v1/pipelines/${id}/messages?device=boiler-7'`);
});

test('deleting asks for the name, says what goes, and leads back to the list', async () => {
  const id = await create('Doomed');
  await send(id, { temp: 21 });
  const { user } = openPage(service, `/pipelines/${id}`);
  await user.click(await screen.findByRole('button', { name: 'More' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Delete Doomed?' });
  expect(within(dialog).getByText(/1 received value/)).toBeTruthy();
  const confirm = within(dialog).getByRole('button', { name: 'Delete' });
  expect(confirm).toHaveProperty('disabled', true);
  await user.type(within(dialog).getByRole('textbox'), 'Doomed');
  await user.click(confirm);
  expect(await screen.findByRole('heading', { level: 1, name: 'Pipelines' })).toBeTruthy();
  expect((await service.request('GET', `/v1/pipelines/${id}`)).status).toBe(404);
});

test('a page that is opened by keyboard has the focus at its heading', async () => {
  const id = await create('Focused');
  const { user } = openPage(service, '/pipelines');
  const link = await screen.findByRole('link', { name: 'Focused' });
  link.focus();
  await user.keyboard('{Enter}');
  const heading = await screen.findByRole('heading', { level: 1, name: 'Focused' });
  await screen.findByText('Ledger');
  expect(document.activeElement).toBe(heading);
  expect(window.location.pathname).toBe(`/pipelines/${id}`);
});

test('an address of no pipeline says so', async () => {
  openPage(service, '/pipelines/pip_01jz3k5v8cf6n9qw2r4t7y0abd');
  expect(await screen.findByText('Nothing is here')).toBeTruthy();
});

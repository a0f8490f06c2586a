import { screen, waitFor, within } from '@testing-library/react';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { fill } from './fill.ts';
import { openPage, type OpenPage } from './open-page.tsx';
import { createPipelineInReview, openStep } from './open-step.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ env: { ALLOWED_NETWORKS: '127.0.0.0/8' } });
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
});
afterAll(() => service.close());

const openModbus = async (name: string): Promise<OpenPage['user']> => {
  const { user } = openPage(service, '/pipelines/new');
  await user.type(await screen.findByRole('textbox', { name: 'Name' }), name);
  await user.click(await screen.findByRole('radio', { name: /^Modbus/ }));
  await fill(user, await screen.findByRole('textbox', { name: 'Host' }), '127.0.0.1');
  return user;
};
const cell = (row: number, column: string | RegExp) =>
  within(screen.getByRole('group', { name: `Register ${row}` })).getByRole<HTMLInputElement>('textbox', {
    name: column,
  });
const metrics = () =>
  screen
    .getAllByRole('group', { name: /^Register \d/ })
    .map((row) => within(row).getByRole<HTMLInputElement>('textbox', { name: 'Metric' }).value);
const act = async (user: OpenPage['user'], row: number, action: string) => {
  await user.click(screen.getByRole('button', { name: `Actions for register ${row}` }));
  await user.click(await screen.findByRole('menuitem', { name: new RegExp(`^${action}`) }));
  await waitFor(() => expect(screen.queryByRole('menu')).toBeNull());
};

test('registers are rows that are added, duplicated, moved and deleted', async () => {
  const user = await openModbus('Rows');
  await user.click(screen.getByRole('button', { name: 'Add register' }));
  await waitFor(() => expect(document.activeElement).toBe(cell(1, 'Metric')));
  await user.keyboard('flow');
  await user.type(cell(1, 'Address'), '4');
  await user.type(cell(1, 'Scale'), '0,1{Enter}');
  await waitFor(() => expect(document.activeElement).toBe(cell(2, 'Metric')));
  await user.keyboard('level');
  await user.type(cell(2, 'Address'), '5');
  await act(user, 1, 'Duplicate');
  expect(metrics()).toEqual(['flow', 'flow', 'level']);
  // In the next frame, after the menu has closed.
  await waitFor(() => expect(document.activeElement).toBe(cell(2, 'Metric')));
  await user.clear(cell(2, 'Metric'));
  await fill(user, cell(2, 'Metric'), 'pressure');
  await act(user, 3, 'Move up');
  expect(metrics()).toEqual(['flow', 'level', 'pressure']);
  await waitFor(() => expect(document.activeElement).toBe(cell(2, 'Metric')));
  cell(1, 'Address').focus();
  await user.keyboard('{Alt>}{ArrowDown}{/Alt}');
  expect(metrics()).toEqual(['level', 'flow', 'pressure']);
  await waitFor(() => expect(document.activeElement).toBe(cell(2, 'Address')));
  const kind = within(screen.getByRole('group', { name: 'Register 2' })).getByRole('combobox', {
    name: 'Kind',
  });
  kind.focus();
  await user.keyboard('{Alt>}{ArrowDown}{/Alt}');
  expect(await screen.findByRole('listbox')).toBeTruthy();
  expect(metrics()).toEqual(['level', 'flow', 'pressure']);
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('listbox')).toBeNull());
  await act(user, 2, 'Delete');
  expect(metrics()).toEqual(['level', 'pressure']);
  await user.click(
    within(screen.getByRole('group', { name: 'Register 1' })).getByRole('combobox', { name: 'Kind' }),
  );
  await user.click(await screen.findByRole('option', { name: 'Input' }));
  await createPipelineInReview(user);
  await screen.findByRole('heading', { level: 1, name: 'Rows' });
  const id = window.location.pathname.replace('/pipelines/', '');
  const { body } = await service.request('GET', `/v1/pipelines/${id}`);
  expect(body.config.registers).toMatchObject([
    { metric: 'level', address: 5, kind: 'input' },
    { metric: 'pressure', address: 4, scale: 0.1 },
  ]);
});

test('a host with a port is an error at its field, beside the port and the unit', async () => {
  const user = await openModbus('Ported');
  const host = screen.getByRole('textbox', { name: 'Host' });
  const messageOfHost = () =>
    document.getElementById((host.getAttribute('aria-describedby') ?? '').split(' ')[0] ?? '')?.textContent;
  await fill(user, host, '127.0.0.1:18502');
  await user.click(screen.getByRole('button', { name: /Next/ }));
  await waitFor(() => expect(messageOfHost()).toBe('Must not include a port. Enter it under Port.'));
  await fill(user, host, 'fd00::5');
  await waitFor(() => expect(host.getAttribute('aria-invalid')).toBeNull());
  for (const name of ['Port optional', 'Unit optional'])
    expect(screen.getByRole('textbox', { name }).closest('details')).toBeNull();
  await screen.findByText(/40001 in a manual is the holding register with address 0/);
  expect(screen.queryByText('More options')).toBeNull();
});

test('the default type of a register says what it is, and the format step is about registers', async () => {
  const user = await openModbus('Types');
  await user.click(screen.getByRole('button', { name: 'Add register' }));
  await user.type(cell(1, 'Metric'), 'flow');
  await user.type(cell(1, 'Address'), '0');
  await user.click(
    within(screen.getByRole('group', { name: 'Register 1' })).getByRole('combobox', { name: 'Type' }),
  );
  await screen.findByRole('option', {
    name: /^(✔️)?Default\s*Defaults to uint16, and to bool for coils and discrete inputs\.$/,
  });
  await user.keyboard('{Escape}');
  expect(screen.getByRole('combobox', { name: 'Type' }).textContent).toBe('Default');
  await openStep(user, 'Format');
  await screen.findByRole('radio', { name: /^Automatic\s*Stores the value of each register\./ });
  await screen.findByText('Test reads the registers and shows their values here as a message.');
  await user.click(screen.getByRole('button', { name: 'Use an example' }));
  await screen.findByRole('row', { name: /^boiler-7 temperature 21\.5/ });
});

test('fields that are left empty show no errors before Next', async () => {
  const { user } = openPage(service, '/pipelines/new');
  await user.click(await screen.findByRole('radio', { name: /^Modbus/ }));
  const host = await screen.findByRole('textbox', { name: 'Host' });
  for (const field of [screen.getByRole('textbox', { name: 'Name' }), host]) await user.click(field);
  await user.click(screen.getByRole('button', { name: 'Add register' }));
  await waitFor(() => expect(document.activeElement).toBe(cell(1, 'Metric')));
  await user.click(host);
  await user.click(screen.getByRole('textbox', { name: 'Name' }));
  expect(document.querySelectorAll('[aria-invalid=true]')).toHaveLength(0);
  await user.click(screen.getByRole('button', { name: /Next/ }));
  await waitFor(() => expect(host.getAttribute('aria-invalid')).toBe('true'));
  expect(cell(1, 'Metric').getAttribute('aria-invalid')).toBe('true');
});

test('errors are at the cell of the row, and lines from a spreadsheet become rows', async () => {
  const user = await openModbus('Errors');
  await user.click(screen.getByRole('button', { name: 'Add register' }));
  await waitFor(() => expect(document.activeElement).toBe(cell(1, 'Metric')));
  await user.paste('flow\t1\nflow\tx\n\nlevel\t3\tinput\n');
  expect(metrics()).toEqual(['flow', 'flow', 'level']);
  await user.click(screen.getByRole('button', { name: /Next/ }));
  const messageOf = (input: HTMLInputElement) =>
    document.getElementById((input.getAttribute('aria-describedby') ?? '').split(' ')[0] ?? '')?.textContent;
  await waitFor(() => expect(messageOf(cell(2, 'Address'))).toBe('Must be a whole number.'));
  await user.clear(cell(2, 'Address'));
  await user.type(cell(2, 'Address'), '2');
  await waitFor(() => expect(messageOf(cell(2, 'Metric'))).toBe('flow appears more than once.'));
  expect(cell(1, 'Metric').getAttribute('aria-invalid')).toBeNull();
});

test('a pasted choice may be its label in any case; other text is an error at its cell', async () => {
  const user = await openModbus('Choices');
  await user.click(screen.getByRole('button', { name: 'Add register' }));
  await waitFor(() => expect(document.activeElement).toBe(cell(1, 'Metric')));
  await user.paste('flow\t1\tInput\nlevel\t2\tcoils\n');
  const kind = (row: number) =>
    within(screen.getByRole('group', { name: `Register ${row}` })).getByRole('combobox', { name: 'Kind' });
  expect(kind(1).textContent).toBe('Input');
  await user.click(screen.getByRole('button', { name: /Next/ }));
  await waitFor(() => expect(kind(2).getAttribute('aria-invalid')).toBe('true'));
  expect(kind(1).getAttribute('aria-invalid')).toBeNull();
  await waitFor(() => expect(document.activeElement).toBe(kind(2)));
});

test('headers are pairs; pasted lines and JSON become rows, and a stored value stays', async () => {
  const { body } = await service.request('POST', '/v1/pipelines', {
    body: {
      name: 'Polled',
      type: 'http-poll',
      interval: 60,
      destination: 'telemetry',
      config: { url: 'http://127.0.0.1:9/', headers: { Authorization: 'Bearer canary' } },
    },
  });
  const { user } = openPage(service, `/pipelines/${body.id}/edit`);
  const row = async (n: number) => within(await screen.findByRole('group', { name: `Header ${n}` }));
  const valueOf = async (n: number) =>
    (await row(n)).getAllByRole<HTMLInputElement>('textbox').map(({ value }) => value);
  expect(await valueOf(1)).toEqual(['Authorization', '***']);
  await user.click(screen.getByRole('button', { name: 'Add header' }));
  const name = (await row(2)).getByRole('textbox', { name: 'Header' });
  await waitFor(() => expect(document.activeElement).toBe(name));
  await user.paste('X-Site: north\nAccept: application/json');
  expect([await valueOf(2), await valueOf(3)]).toEqual([
    ['X-Site', 'north'],
    ['Accept', 'application/json'],
  ]);
  const third = (await row(3)).getByRole('textbox', { name: 'Header' });
  await user.clear(third);
  await fill(user, third, 'not a name');
  await user.click(await screen.findByRole('button', { name: 'Save' }));
  expect(await (await row(3)).findByText('Must be a valid header name.')).toBeTruthy();
  await user.clear(third);
  await fill(user, third, 'X.Site');
  const thirdValue = (await row(3)).getByRole('textbox', { name: 'Value' });
  await user.clear(thirdValue);
  await user.type(thirdValue, '***');
  await user.click(await screen.findByRole('button', { name: 'Save' }));
  expect(await (await row(3)).findByText(/keeps a stored secret, but there is none/)).toBeTruthy();
  await waitFor(() => expect(document.activeElement).toBe(third));
  await user.click(screen.getByRole('button', { name: 'Actions for header 3' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  await user.click(await screen.findByRole('button', { name: 'Save' }));
  await screen.findByRole('heading', { level: 1, name: 'Polled' });
  const { body: saved } = await service.request('GET', `/v1/pipelines/${body.id}`);
  expect(saved.config.headers).toEqual({ Authorization: '***', 'X-Site': '***' });
});

test('a letter chooses in a closed select, as in native selects', async () => {
  const user = await openModbus('Letters');
  await user.click(screen.getByRole('button', { name: 'Add register' }));
  const row = within(await screen.findByRole('group', { name: 'Register 1' }));
  const type = row.getByRole('combobox', { name: 'Type' });
  type.focus();
  const shown = [];
  for (const letter of ['f', 'F', 'b', 'x']) {
    await user.keyboard(letter);
    shown.push(type.textContent);
  }
  expect(shown).toEqual(['Float32', 'Float64', 'Bool', 'Bool']);
  expect(type.getAttribute('aria-expanded')).toBe('false');
});

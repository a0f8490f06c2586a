import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { queryClient } from '#dashboard/api/query-client.ts';
import { pipelineFieldsOf } from '#dashboard/pages/pipeline-form/pipeline-fields.ts';
import { App } from '#dashboard/app/app.tsx';
import { createAppRouter } from '#dashboard/routes.tsx';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { fill } from './fill.ts';
import { openPage } from './open-page.tsx';
import { createPipelineInReview, openStep } from './open-step.ts';

let service: TestService;
/** Accepts connections and never answers. */
let silent: Server;
let meter: HttpServer;
/** Before it is resolved, the meter does not answer at `/held`. */
const held = Promise.withResolvers<void>();
/** As `held`, for a message at `/nameless` that names no device. */
const nameless = Promise.withResolvers<void>();
beforeAll(async () => {
  silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  meter = createHttpServer(({ url }, response) => {
    const note = url === '/wordy' ? `,"note":"${'a'.repeat(70_000)}"` : '';
    const answer = () =>
      response.setHeader('content-type', 'application/json').end(`{"device":"m-1","temp":4${note}}`);
    if (url === '/nameless') void nameless.promise.then(() => response.end('{"temp":4}'));
    else if (url === '/held') void held.promise.then(answer);
    else answer();
  });
  await new Promise<void>((resolve) => meter.listen(0, '127.0.0.1', resolve));
  service = await startTestService({ env: { ALLOWED_NETWORKS: '127.0.0.0/8' } });
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
});
afterAll(async () => {
  await service.close();
  silent.close();
  meter.close();
});

const create = async (name: string, more: Record<string, unknown> = {}): Promise<string> => {
  const { body } = await service.request('POST', '/v1/pipelines', {
    body: { name, type: 'http', interval: 10, destination: 'telemetry', ...more },
  });
  return body.id;
};
const read = async (id: string) => (await service.request('GET', `/v1/pipelines/${id}`)).body;
const nameField = () => screen.findByRole('textbox', { name: 'Name' });
const chooseType = async (user: ReturnType<typeof openPage>['user'], type: RegExp) =>
  user.click(await screen.findByRole('radio', { name: type }));

test('a new pipeline is created from its fields, and its page opens', async () => {
  const { user } = openPage(service, '/pipelines/new');
  await fill(user, await nameField(), 'Boiler room');
  await chooseType(user, /^HTTP/);
  await openStep(user, 'Format');
  await fill(user, screen.getByRole('textbox', { name: 'Device optional' }), 'boiler-7');
  await createPipelineInReview(user);
  expect(await screen.findByRole('heading', { level: 1, name: 'Boiler room' })).toBeTruthy();
  const made = await read(window.location.pathname.replace('/pipelines/', ''));
  expect(made).toMatchObject({
    type: 'http',
    interval: 10,
    config: { device: 'boiler-7' },
    state: 'running',
  });
});

test('patterns of metrics are typed one in each line', async () => {
  const { user } = openPage(service, '/pipelines/new');
  await fill(user, await nameField(), 'Radio room');
  await chooseType(user, /^HTTP/);
  await openStep(user, 'Format');
  await fill(user, screen.getByRole('textbox', { name: 'Device optional' }), 'radio-7');
  await user.type(
    screen.getByRole('textbox', { name: 'Exclude metrics optional' }),
    'rssi{Enter}battery.*{Enter}',
  );
  await fill(user, await screen.findByRole('textbox', { name: 'Message optional' }), '{"rssi": -70, "t": 4}');
  expect(await screen.findByText('Left out: rssi')).toBeTruthy();
  await createPipelineInReview(user);
  expect(await screen.findByRole('heading', { level: 1, name: 'Radio room' })).toBeTruthy();
  const made = await read(window.location.pathname.replace('/pipelines/', ''));
  expect(made.config).toMatchObject({ device: 'radio-7', exclude: ['rssi', 'battery.*'] });
});

test('an interval is explained in words', async () => {
  const { user } = openPage(service, '/pipelines/new');
  await chooseType(user, /^This machine/);
  const every = screen.getByRole('textbox', { name: 'Interval' });
  expect(screen.getByText('Every 10 s: 8,640 a day.')).toBeTruthy();
  await user.clear(every);
  await user.type(every, '5');
  await user.click(screen.getByRole('combobox', { name: 'Unit of the interval' }));
  await user.click(await screen.findByRole('option', { name: 'minutes' }));
  expect(await screen.findByText('Every 5 min: 288 a day.')).toBeTruthy();
  await user.clear(every);
  await user.type(every, '1.5');
  await user.click(screen.getByRole('combobox', { name: 'Unit of the interval' }));
  await user.click(await screen.findByRole('option', { name: 'seconds' }));
  await user.click(screen.getByRole('button', { name: 'Next: format' }));
  expect(await screen.findByText('Must be a whole number of seconds.')).toBeTruthy();
});

test('a pushed source has no interval, but a maximum delay for an external destination', async () => {
  await service.request('POST', '/v1/destinations', { body: { name: 'Waiting file', type: 'file' } });
  const { user } = openPage(service, '/pipelines/new');
  await fill(user, await nameField(), 'Pushed');
  await chooseType(user, /^This machine/);
  const every = screen.getByRole('textbox', { name: 'Interval' });
  await user.clear(every);
  await chooseType(user, /^HTTP/);
  expect(screen.queryByRole('textbox', { name: 'Interval' })).toBeNull();
  await openStep(user, 'Destination');
  const wait = () => screen.queryByRole('textbox', { name: 'Maximum delay' });
  expect(wait()).toBeNull();
  const choose = async (name: RegExp) => {
    await user.click(screen.getByRole('combobox', { name: 'Destination' }));
    await user.click(await screen.findByRole('option', { name }));
  };
  await choose(/^Waiting file/);
  await fill(user, wait()!, '90000');
  await openStep(user, 'Review');
  const problem = await screen.findByRole('button', { name: 'Maximum delay' });
  expect(problem.closest('li')?.textContent).toMatch(/^Destination: /);
  await user.click(problem);
  await waitFor(() => expect(document.activeElement).toBe(wait()));
  await user.clear(wait()!);
  await user.type(wait()!, '30');
  expect(
    screen.getByText(
      'Messages are accepted on arrival. Samples are delivered in batches, at most 30 s after arrival.',
    ),
  ).toBeTruthy();
  await createPipelineInReview(user);
  await screen.findByRole('heading', { level: 1, name: 'Pushed' });
  const settings = within(await screen.findByRole('region', { name: 'Settings' }));
  const factOf = async (name: string) => (await settings.findByText(name)).nextElementSibling?.textContent;
  expect(await factOf('Maximum delay')).toBe('30 s');
  expect(settings.queryByText('Interval')).toBeNull();
});

test('an interval that is no longer shown does not prevent saving', async () => {
  const { user } = openPage(service, '/pipelines/new');
  await fill(user, await nameField(), 'Without interval');
  await chooseType(user, /^This machine/);
  await user.clear(screen.getByRole('textbox', { name: 'Interval' }));
  await chooseType(user, /^HTTP/);
  await createPipelineInReview(user);
  await screen.findByRole('heading', { level: 1, name: 'Without interval' });
  const { body } = await service.request('GET', '/v1/pipelines?q=Without%20interval');
  expect(body.data).toMatchObject([{ interval: 10 }]);
});

test('a maximum delay that is no longer used is no problem, and the stored one is kept', async () => {
  await service.request('POST', '/v1/destinations', { body: { name: 'Other file', type: 'file' } });
  const id = await create('Once batched', { destination: 'Other file', interval: 60 });
  const { user } = openPage(service, `/pipelines/${id}/edit?step=destination`);
  const wait = await screen.findByRole('textbox', { name: 'Maximum delay' });
  await user.clear(wait);
  await user.tab();
  await user.click(screen.getByRole('combobox', { name: 'Destination' }));
  await user.click(await screen.findByRole('option', { name: /^Telemetry/i }));
  await openStep(user, 'Review');
  await screen.findByRole('button', { name: 'Edit destination' });
  expect(screen.queryByRole('button', { name: 'Maximum delay' })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByRole('heading', { level: 1, name: 'Once batched' });
  expect(await read(id)).toMatchObject({ destination: 'telemetry', interval: 60 });
});

test('a draft stores edits without secrets, and a stored password stays', async () => {
  const id = await create('Secretive', {
    type: 'mqtt',
    config: { url: 'mqtt://b.invalid', password: 'old' },
  });
  const { user } = openPage(service, `/pipelines/${id}/edit`);
  const password = await screen.findByLabelText(/^Password/);
  await user.clear(password);
  await fill(user, password, 'canary');
  await fill(user, await nameField(), ' of mine');
  const key = `penstock.draft.pipeline.${id}`;
  await waitFor(() => expect(sessionStorage.getItem(key)).toContain('of mine'));
  const kept = sessionStorage.getItem(key) ?? '';
  expect(kept).not.toContain('canary');
  cleanup();
  sessionStorage.setItem(key, kept);
  render(<App router={createAppRouter({ signInProblem: null })} />);
  expect((await screen.findByLabelText<HTMLInputElement>(/^Password/)).value).toBe('***');
});

test('a draft stores no headers, since they may contain secrets', async () => {
  const { user } = openPage(service, '/pipelines/new');
  await fill(user, await nameField(), 'Meter');
  await chooseType(user, /^Polled URL/);
  await user.click(screen.getByRole('button', { name: 'Add header' }));
  const header = within(await screen.findByRole('group', { name: 'Header 1' }));
  await user.click(header.getByRole('textbox', { name: 'Header' }));
  await user.paste('{ "Authorization": "Bearer canary" }');
  await fill(user, await nameField(), ' of mine');
  const kept = () => sessionStorage.getItem('penstock.draft.pipeline.new') ?? '';
  await waitFor(() => expect(kept()).toContain('of mine'));
  expect(kept()).not.toContain('canary');
});

test('two versions are compared without showing a secret', async () => {
  const types = (await service.request('GET', '/v1/pipeline-types')).body.data;
  const { textOf, labelOf } = pipelineFieldsOf(types);
  expect(labelOf('config password')).toBe('Password');
  expect(textOf('config password', 'canary')).toBe('New secret');
  expect(textOf('config password', '***')).toBe('Stored secret');
  expect(textOf('config topic', 'a/b')).toBe('a/b');
});

test('the fields of a type show their defaults and are validated before sending', async () => {
  const { user } = openPage(service, '/pipelines/new');
  await chooseType(user, /^MQTT/);
  const topic = await screen.findByRole('textbox', { name: /^Topic/ });
  expect(topic.getAttribute('placeholder')).toBe('v1/devices/+/telemetry');
  await fill(user, await nameField(), 'Crooked');
  await fill(user, topic, 'press/#/x');
  await user.click(screen.getByRole('button', { name: 'Next: format' }));
  expect(await screen.findByText(/# may only be the last one/)).toBeTruthy();
  expect(topic.getAttribute('aria-invalid')).toBe('true');
  expect(window.location.pathname).toBe('/pipelines/new');
});

test('an empty field is reported when it is left, once it was edited', async () => {
  const { user } = openPage(service, '/pipelines/new');
  const name = await nameField();
  await chooseType(user, /^Modbus/);
  const host = screen.getByRole('textbox', { name: 'Host' });
  await user.click(name);
  await user.click(host);
  await user.tab();
  const isInvalid = (field: HTMLElement) => field.getAttribute('aria-invalid') === 'true';
  expect([name, host].map(isInvalid)).toEqual([false, false]);
  await user.type(host, 'plc');
  await user.clear(host);
  await user.tab();
  await waitFor(() => expect(isInvalid(host)).toBe(true));
  expect(isInvalid(name)).toBe(false);
  cleanup();

  openPage(service, `/pipelines/${await create('Emptied')}/edit`);
  const filled = await nameField();
  await user.clear(filled);
  await user.tab();
  await waitFor(() => expect(isInvalid(filled)).toBe(true));
});

test('a name in use is reported in the review and at the field, and the input is kept', async () => {
  await create('Taken');
  const { user } = openPage(service, '/pipelines/new');
  const name = await nameField();
  await fill(user, name, 'taken');
  await chooseType(user, /^HTTP/);
  await createPipelineInReview(user);
  const problems = await screen.findByRole('alert');
  expect(within(problems).getByText(/Already used by another pipeline/)).toBeTruthy();
  await waitFor(() => expect(document.activeElement).toBe(problems));
  expect(screen.getByRole('button', { name: /^Source.*1 error/ })).toBeTruthy();
  await user.click(within(problems).getByRole('button', { name: 'Name' }));
  await waitFor(() => expect(document.activeElement).toBe(name));
  expect(screen.getByText('Already used by another pipeline.')).toBeTruthy();
  expect(name.getAttribute('aria-invalid')).toBe('true');
  expect((name as HTMLInputElement).value).toBe('taken');
});

test('edits survive a reload, and can be discarded', async () => {
  const { user } = openPage(service, '/pipelines/new');
  await fill(user, await nameField(), 'Half done');
  await chooseType(user, /^HTTP/);
  cleanup();
  render(<App router={createAppRouter({ signInProblem: null })} />);
  await screen.findByText('Your unsaved changes were restored.');
  expect(await nameField()).toHaveProperty('value', 'Half done');
  expect(screen.getByRole('radio', { name: /^HTTP/ })).toHaveProperty('checked', true);
  await user.click(screen.getByRole('button', { name: 'Discard changes' }));
  expect(await nameField()).toHaveProperty('value', '');
});

test('Cancel asks before changes are discarded, and leaves an unchanged form at once', async () => {
  const id = await create('Cancelled', { mapping: { format: 'expression', expression: '{ "values": $ }' } });
  const { user } = openPage(service, `/pipelines/${id}/edit?step=format`);
  await user.type(await screen.findByRole('textbox', { name: 'Expression' }), ' ');
  await user.click(screen.getByRole('link', { name: 'Cancel' }));
  let dialog = within(await screen.findByRole('dialog', { name: 'Discard changes?' }));
  await user.click(dialog.getByRole('button', { name: 'Keep editing' }));
  // The page is hidden until the dialog has closed.
  const field = await screen.findByRole('textbox', { name: 'Expression' });
  expect(field).toHaveProperty('value', '{ "values": $ } ');
  await user.click(screen.getByRole('link', { name: 'Cancel' }));
  dialog = within(await screen.findByRole('dialog', { name: 'Discard changes?' }));
  await user.click(dialog.getByRole('button', { name: 'Discard changes' }));
  await waitFor(() => expect(window.location.pathname).toBe(`/pipelines/${id}`));
  expect(sessionStorage.getItem(`penstock.draft.pipeline.${id}`)).toBeNull();
  await user.click(await screen.findByRole('link', { name: 'Edit' }));
  await user.click(await screen.findByRole('link', { name: 'Cancel' }));
  await waitFor(() => expect(window.location.pathname).toBe(`/pipelines/${id}`));
  expect(screen.queryByRole('dialog', { name: 'Discard changes?' })).toBeNull();
});

test('Cancel in a new tab neither asks nor discards the draft', async () => {
  const id = await create('Kept', { mapping: { format: 'expression', expression: '{ "values": $ }' } });
  const { user } = openPage(service, `/pipelines/${id}/edit?step=format`);
  await user.type(await screen.findByRole('textbox', { name: 'Expression' }), ' ');
  const draft = `penstock.draft.pipeline.${id}`;
  await waitFor(() => expect(sessionStorage.getItem(draft)).not.toBeNull());
  const cancel = screen.getByRole('link', { name: 'Cancel' });
  // jsdom has no tabs. The browser opens one only if nothing prevented that.
  const outcomes: boolean[] = [];
  const observe = (event: MouseEvent) => {
    outcomes.push(event.defaultPrevented);
    event.preventDefault();
  };
  window.addEventListener('click', observe);
  onTestFinished(() => window.removeEventListener('click', observe));
  for (const key of ['ctrlKey', 'metaKey', 'shiftKey', 'altKey']) fireEvent.click(cancel, { [key]: true });
  fireEvent.click(cancel, { button: 1 });
  expect(outcomes).toEqual([false, false, false, false, false]);
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(sessionStorage.getItem(draft)).not.toBeNull();
});

test('the preview waits for an expression instead of rejecting the message', async () => {
  const { user } = openPage(service, '/pipelines/new');
  await chooseType(user, /^HTTP/);
  await openStep(user, 'Format');
  await user.click(await screen.findByRole('textbox', { name: /^Message/ }));
  await user.paste('{"t": 21}');
  await user.click(screen.getByRole('radio', { name: /^Expression/ }));
  const preview = within(screen.getByRole('region', { name: 'Preview' }));
  expect(await preview.findByText(/^Enter an expression/)).toBeTruthy();
  expect(preview.queryByText('The expression failed')).toBeNull();
  await user.click(screen.getByRole('textbox', { name: 'Expression' }));
  await user.paste('{ "device": "d", "values": { "t": t } }');
  expect(await preview.findByRole('row', { name: 'd t 21 On arrival' })).toBeTruthy();
});

test('the preview shows format, samples and rejections while typing', async () => {
  const { user } = openPage(service, '/pipelines/new');
  await chooseType(user, /^MQTT/);
  await openStep(user, 'Format');
  const message = await screen.findByRole('textbox', { name: /^Message/ });
  await user.click(message);
  await user.paste(JSON.stringify({ temp: 21.5, note: 'x'.repeat(1_025) }));
  expect(await screen.findByText('No device')).toBeTruthy();
  expect(screen.getByRole('row', { name: '(no device) temp 21.5 On arrival' })).toBeTruthy();
  expect(screen.getByText(/^1 sample without a device/)).toBeTruthy();
  await user.type(screen.getByRole('textbox', { name: /^Published to/ }), 'v1/devices/boiler-7/telemetry');
  const samples = await screen.findByRole('region', { name: 'Samples' });
  await waitFor(() =>
    expect(within(samples).getByRole('row', { name: 'boiler-7 temp 21.5 On arrival' })).toBeTruthy(),
  );
  expect(screen.getByText('Flat JSON')).toBeTruthy();
  expect(screen.getByText('Invalid value')).toBeTruthy();
  expect((await service.request('GET', '/v1/devices?q=boiler-7')).body.data).toEqual([]);
});

test('the preview says which text is a number on other devices', async () => {
  const { body: other } = await service.request('POST', '/v1/devices', { body: { name: 'Numeric' } });
  await service.request('POST', '/v1/telemetry', {
    body: { samples: [{ device: other.externalId, values: { flow: 3, mode: 'auto' } }] },
  });
  await service.service.parts.presence.flush();
  const { user } = openPage(service, '/pipelines/new?step=format');
  const message = await screen.findByRole('textbox', { name: /^Message/ });
  await user.click(message);
  await user.paste('{"device":"textual","flow":"3.5","mode":"auto"}');
  const preview = within(screen.getByRole('region', { name: 'Preview' }));
  const note = await preview.findByText(/^flow is text here, and a number on 1 other device\./);
  expect(note.textContent).toContain('rejects it if it already stores numbers for this device');
  expect(preview.queryByText(/^mode is text here/)).toBeNull();
  // Further metrics are looked up on the same devices.
  const fetched = vi.spyOn(globalThis, 'fetch');
  onTestFinished(() => fetched.mockRestore());
  const value = '{"device":"textual","flow":"3.5","mode":"auto","level":"low"}';
  fireEvent.change(message, { target: { value } });
  const paths = () => fetched.mock.calls.map(([url]) => (url as URL).pathname);
  await waitFor(() => expect(paths()).toContain('/v1/telemetry/latest'));
  expect(paths()).not.toContain('/v1/devices');
  fireEvent.change(message, { target: { value: '{"device":"textual","flow":3.5}' } });
  await waitFor(() => expect(preview.queryByText(/^flow is text here/)).toBeNull());
});

test('the preview shows the time zone of timestamps without one', async () => {
  const { user } = openPage(service, '/pipelines/new');
  await chooseType(user, /^HTTP/);
  await openStep(user, 'Format');
  await user.click(await screen.findByRole('textbox', { name: /^Message/ }));
  await user.paste('{"device": "boiler-7", "ts": "2025-11-21T10:30:00", "temp": 21.5}');
  expect(await screen.findByText('Timestamps without a time zone are read as UTC.')).toBeTruthy();
  const timeZone = screen.getByRole('textbox', { name: /^Time zone/ });
  await fill(user, timeZone, 'Europe/Berlin');
  expect(await screen.findByText('Timestamps without a time zone are read as Europe/Berlin.')).toBeTruthy();
});

test('a draft shows its unknown type and destination with their problems until others are chosen', async () => {
  const id = await create('Old registers', { type: 'opc-ua', destination: 'influx' });
  const { user } = openPage(service, `/pipelines/${id}/edit`);
  expect(await screen.findByRole('radio', { name: /^opc-ua/ })).toHaveProperty('checked', true);
  expect(screen.getByText(/Unknown type: opc-ua/)).toBeTruthy();
  await chooseType(user, /^HTTP/);
  await openStep(user, 'Destination');
  expect(screen.getByText(/There is no destination influx/)).toBeTruthy();
  await user.click(screen.getByRole('combobox', { name: 'Destination' }));
  await user.click(await screen.findByRole('option', { name: /^telemetry/ }));
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('Running');
  expect(await read(id)).toMatchObject({
    type: 'http',
    destination: 'telemetry',
    state: 'running',
    problems: [],
  });
});

test('a problem links to its field; a cleared field returns to its default', async () => {
  const id = await create('Press', { type: 'mqtt', config: { topic: 'press/#/x', colour: 'red' } });
  const { user } = openPage(service, `/pipelines/${id}`);
  await user.click(await screen.findByRole('link', { name: 'Edit topic' }));
  await screen.findByRole('heading', { level: 1, name: 'Edit Press' });
  const topic = await screen.findByRole('textbox', { name: /^Topic/ });
  await waitFor(() => expect(document.activeElement).toBe(topic));
  expect(screen.getByText(/# may only be the last one/)).toBeTruthy();
  expect(screen.getByText(/This type has no field “colour”/)).toBeTruthy();
  await user.clear(topic);
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByRole('heading', { level: 1, name: 'Press' });
  expect(await read(id)).toMatchObject({ config: {}, problems: [] });
});

test('a draft does not undo changes by others during a reload', async () => {
  const id = await create('Common');
  const { user } = openPage(service, `/pipelines/${id}/edit`);
  await fill(user, await nameField(), ' by me');
  cleanup();
  await service.request('PATCH', `/v1/pipelines/${id}`, { body: { interval: 60, config: { device: 'b1' } } });
  queryClient.clear();
  render(<App router={createAppRouter({ signInProblem: null })} />);
  await screen.findByRole('region', { name: 'Updated elsewhere' });
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByRole('heading', { level: 1, name: 'Common by me' });
  expect(await read(id)).toMatchObject({ name: 'Common by me', interval: 60, config: { device: 'b1' } });
});

test('a copy starts with the fields of the original', async () => {
  const id = await create('Original', {
    interval: 7_200,
    config: { device: 'd1', onUnknownDevice: 'reject' },
  });
  const { user } = openPage(service, `/pipelines/new?from=${id}`);
  expect(await nameField()).toHaveProperty('value', 'Original copy');
  await createPipelineInReview(user);
  await screen.findByRole('heading', { level: 1, name: 'Original copy' });
  const copy = await read(window.location.pathname.replace('/pipelines/', ''));
  expect(copy).toMatchObject({ interval: 7_200, config: { device: 'd1', onUnknownDevice: 'reject' } });
});

test('an expression is previewed while typing, and saved with the pipeline', async () => {
  const { user } = openPage(service, '/pipelines/new');
  await fill(user, await nameField(), 'Scaled');
  await chooseType(user, /^HTTP/);
  await openStep(user, 'Format');
  await user.click(await screen.findByRole('textbox', { name: /^Message/ }));
  await user.paste('{"t": 215}');
  await user.type(screen.getByRole('textbox', { name: /^Sent with/ }), 'cellar');
  await user.click(screen.getByRole('radio', { name: /^Expression/ }));
  const expression = screen.getByRole('textbox', { name: 'Expression' });
  await user.click(expression);
  await user.paste('{ "values": { "temp": t / } }');
  expect(await screen.findByText('The expression failed')).toBeTruthy();
  await user.clear(expression);
  await user.paste('{ "values": { "temp": t / 10 } }');
  const samples = await screen.findByRole('region', { name: 'Samples' });
  expect(await within(samples).findByRole('row', { name: 'cellar temp 21.5 On arrival' })).toBeTruthy();
  await createPipelineInReview(user);
  await screen.findByRole('heading', { level: 1, name: 'Scaled' });
  expect(await screen.findByText('{ "values": { "temp": t / 10 } }')).toBeTruthy();
  const made = await read(window.location.pathname.replace('/pipelines/', ''));
  expect(made).toMatchObject({
    state: 'running',
    mapping: { format: 'expression', expression: '{ "values": { "temp": t / 10 } }' },
  });
});

test('a suggested expression is put before the one in the form, once, and Undo restores the mapping', async () => {
  const typed = '{ "values": { "power": power } }';
  const id = await create('Suggested', { mapping: { format: 'auto', expression: typed } });
  const { user } = openPage(service, `/pipelines/${id}/edit?step=format`);
  const message = await screen.findByRole('textbox', { name: /^Message/ });
  fireEvent.change(message, { target: { value: '{"deviceId":"a","dev_eui":"b","power":12}' } });
  const preview = within(screen.getByRole('region', { name: 'Preview' }));
  const suggestion = () => preview.findByRole('button', { name: 'Use this expression' });
  const expression = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Expression' });
  const undo = async (title: string) => {
    const toast = (await screen.findByText(title)).closest<HTMLElement>('[role="dialog"]');
    await user.click(within(toast!).getByRole('button', { name: 'Undo' }));
  };

  const button = await suggestion();
  fireEvent.click(button);
  const suggested = expression().value;
  expect(suggested).toMatch(/^\$exists\(.*deviceId.*dev_eui.*\) \? .* : \$$/);
  // The preview of the first click has not arrived.
  fireEvent.click(button);
  expect(expression().value).toBe(suggested);
  await undo('Expression replaced');
  expect(screen.getByRole<HTMLInputElement>('radio', { name: /^Automatic/ }).checked).toBe(true);

  await user.click(screen.getByRole('radio', { name: /^Expression/ }));
  fireEvent.change(expression(), { target: { value: '$' } });
  fireEvent.click(await suggestion());
  expect(expression().value).toBe(`${suggested.slice(0, -1)}($)`);
  await undo('Expression extended');
  expect(expression().value).toBe('$');
});

test('an invalid expression is reported at its field; without one the form is not sent', async () => {
  const id = await create('Broken', { mapping: { format: 'expression', expression: '1 +' } });
  const { user } = openPage(service, `/pipelines/${id}`);
  await user.click(await screen.findByRole('link', { name: 'Edit expression' }));
  const expression = await screen.findByRole('textbox', { name: 'Expression' });
  await waitFor(() => expect(document.activeElement).toBe(expression));
  expect(await screen.findByText(/Unexpected end of expression/)).toBeTruthy();
  await user.clear(expression);
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Must not be empty.')).toBeTruthy();
  await user.click(screen.getByRole('radio', { name: /^Automatic/ }));
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByRole('heading', { level: 1, name: 'Broken' });
  expect(await read(id)).toMatchObject({ state: 'running', mapping: { format: 'auto' }, problems: [] });
});

test('a pipeline is tested before saving: each step with its result and duration', async () => {
  const { user } = openPage(service, '/pipelines/new');
  await fill(user, await nameField(), 'Tried');
  await chooseType(user, /^This machine/);
  screen.getByRole('button', { name: 'Test' }).focus();
  await user.keyboard('{Enter}');
  await screen.findByText('Test passed');
  const steps = screen.getAllByRole('listitem').map(({ textContent }) => textContent);
  for (const said of [
    /^Fields, passed:All fields are valid\.[\d,]+ ms$/,
    /^Source, passed:The source returned a message/,
    /^Mapping, passed:\d+ samples from 1 device/,
    /^Destination, passed:The built-in store is available/,
  ])
    expect(steps.filter((step) => said.test(step))).toHaveLength(1);
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Test'));
  expect((await service.request('GET', '/v1/pipelines?q=Tried')).body.data).toEqual([]);
  await fill(user, await nameField(), ' twice');
  await screen.findByText('The form changed after this test.');
  expect(screen.getByText('Before your changes: Test passed')).toBeTruthy();
});

test('a test without a message says in its title that the mapping was not tested', async () => {
  const { user } = openPage(service, '/pipelines/new');
  await fill(user, await nameField(), 'Quiet');
  await chooseType(user, /^HTTP/);
  await user.click(screen.getByRole('button', { name: 'Test' }));
  await screen.findByText('Source and destination passed. Mapping not tested: no message received');
  expect(screen.queryByText(/Test passed/)).toBeNull();
});

test('a test result is removed with its type, and marked as outdated after other changes, without actions for them', async () => {
  const { user } = openPage(service, '/pipelines/new');
  await fill(user, await nameField(), 'Forbidden');
  await chooseType(user, /^Polled URL/);
  const address = screen.getByRole('textbox', { name: 'Address' });
  await fill(user, address, 'http://10.9.8.7:9100/');
  await user.click(screen.getByRole('button', { name: 'Test' }));
  await screen.findByText('Source test failed');
  const allow = () => screen.queryByRole('button', { name: 'Allow 10.9.8.7:9100…' });
  const goTo = () => screen.queryByRole('button', { name: 'Go to Address' });
  await waitFor(() => expect(allow()).not.toBeNull());
  expect(goTo()).not.toBeNull();

  fireEvent.change(address, { target: { value: 'http://10.9.8.6:9100/' } });
  await screen.findByText('Before your changes: Source test failed');
  expect(allow()).toBeNull();
  fireEvent.change(address, { target: { value: 'http://10.9.8.7:9100/' } });
  await screen.findByText('Source test failed');

  await fill(user, await nameField(), ' still');
  await screen.findByText('Before your changes: Source test failed');
  expect(allow()).not.toBeNull();
  expect(goTo()).not.toBeNull();

  await user.clear(await nameField());
  await fill(user, await nameField(), 'Forbidden');
  await screen.findByText('Source test failed');
  await fill(user, address, 'metrics');
  await waitFor(() => expect(allow()).toBeNull());
  expect(goTo()).toBeNull();
  expect(screen.getByText('Before your changes: Source test failed')).toBeTruthy();

  await chooseType(user, /^This machine/);
  await waitFor(() => expect(screen.queryByText(/Source test failed/)).toBeNull());
  expect(screen.queryByText('The form changed after this test.')).toBeNull();
  await chooseType(user, /^Polled URL/);
  expect(screen.queryByText(/Source test failed/)).toBeNull();
});

test('a test shows each step while it runs, and leads to the field that a rejected message lacks', async () => {
  const { user } = openPage(service, '/pipelines/new');
  await fill(user, await nameField(), 'Step by step');
  await chooseType(user, /^Polled URL/);
  const { port } = meter.address() as AddressInfo;
  await fill(user, screen.getByRole('textbox', { name: 'Address' }), `http://127.0.0.1:${port}/nameless`);
  await user.click(screen.getByRole('button', { name: 'Test' }));
  const step = (name: string) =>
    screen.getAllByRole('listitem').find(({ textContent }) => textContent.startsWith(`${name}, `))
      ?.textContent;
  await waitFor(() => expect(step('Source')).toMatch(/^Source, running:Running/));
  expect(step('Fields')).toMatch(/^Fields, passed:All fields are valid\.[\d,]+ ms$/);
  expect(step('Mapping')).toBe('Mapping, not tested:Waiting');
  nameless.resolve();
  await screen.findByText('Mapping test failed');
  expect(step('Destination')).toMatch(/^Destination, passed:/);
  await user.click(screen.getByRole('button', { name: 'Go to Device' }));
  const device = await screen.findByRole('textbox', { name: 'Device optional' });
  await waitFor(() => expect(document.activeElement).toBe(device));
});

test('the result of a test is not scrolled into view for those who scrolled on', async () => {
  const { user } = openPage(service, '/pipelines/new');
  await fill(user, await nameField(), 'Scrolled');
  await chooseType(user, /^Polled URL/);
  const { port } = meter.address() as AddressInfo;
  await fill(user, screen.getByRole('textbox', { name: 'Address' }), `http://127.0.0.1:${port}/held`);
  const scrolled = vi.spyOn(Element.prototype, 'scrollIntoView');
  onTestFinished(() => scrolled.mockRestore());
  const isResultScrolled = () =>
    scrolled.mock.contexts.some((element) => (element as Element).textContent.includes('Test passed'));
  const test = screen.getByRole('button', { name: 'Test' });
  await user.click(test);
  await screen.findByText('Testing the source');
  scrolled.mockClear();
  fireEvent.wheel(document.body);
  held.resolve();
  await screen.findByText('Test passed');
  expect(isResultScrolled()).toBe(false);
  await user.click(test);
  await waitFor(() => expect(isResultScrolled()).toBe(true));
});

test('a test of a draft lists the missing fields with links', async () => {
  const id = await create('Elsewhere', { destination: 'influx' });
  const { user } = openPage(service, `/pipelines/${id}/edit`);
  await nameField();
  await user.click(screen.getByRole('button', { name: 'Test' }));
  await screen.findByText('Fields test failed');
  const destination = await screen.findByRole('combobox', { name: 'Destination' });
  await waitFor(() => expect(document.activeElement).toBe(destination));
  screen.getByRole('button', { name: 'Test' }).focus();
  await user.click(screen.getByRole('button', { name: 'Destination' }));
  await waitFor(() => expect(document.activeElement).toBe(destination));
});

test('in the review, the problems of a test are listed there', async () => {
  const id = await create('Elsewhere too', { destination: 'influx' });
  const { user } = openPage(service, `/pipelines/${id}/edit?step=review`);
  await user.click(await screen.findByRole('button', { name: 'Test' }));
  await screen.findByText('Fields test failed');
  const problems = screen.getByText('Fix these fields first').parentElement;
  await waitFor(() => expect(document.activeElement).toBe(problems));
  expect(window.location.search).toBe('?step=review');
});

test('a test asks for stored secrets at their fields', async () => {
  const id = await create('Guarded', {
    type: 'mqtt',
    config: { url: 'mqtt://b.invalid', username: 'u', password: 'old' },
  });
  const { user } = openPage(service, `/pipelines/${id}/edit`);
  const password = await screen.findByLabelText(/^Password/);
  await user.click(screen.getByRole('button', { name: 'Test' }));
  await screen.findByText(/^Enter the secret again to test/);
  await waitFor(() => expect(document.activeElement).toBe(password));
  // Fields that only a test requires do not prevent saving.
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByRole('heading', { level: 1, name: 'Guarded' });
});

test('a long test is stopped, and its result is ignored', async () => {
  const { user } = openPage(service, '/pipelines/new');
  await fill(user, await nameField(), 'Slow');
  await chooseType(user, /^NATS/);
  await user.type(
    screen.getByRole('textbox', { name: 'Server' }),
    `nats://127.0.0.1:${(silent.address() as AddressInfo).port}`,
  );
  await user.type(screen.getByRole('textbox', { name: 'Subject' }), 'a.b');
  await user.click(screen.getByRole('button', { name: 'Test' }));
  await screen.findByText(/^Testing the source/);
  await user.click(await screen.findByRole('button', { name: 'Stop' }));
  expect(screen.queryByText(/^Testing the source/)).toBeNull();
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Test'));
});

test('steps are in the address: a link opens one, and Back returns to the step before with the input kept', async () => {
  const { user } = openPage(service, '/pipelines/new');
  await fill(user, await nameField(), 'Stepwise');
  await chooseType(user, /^HTTP/);
  await user.type(await nameField(), '{Enter}');
  const format = await screen.findByRole('region', { name: 'Format' });
  await waitFor(() => expect(document.activeElement).toBe(format));
  expect(window.location.search).toBe('?step=format');
  await user.click(screen.getByRole('button', { name: 'Next: destination' }));
  await screen.findByRole('region', { name: 'Destination' });
  window.history.back();
  await screen.findByRole('region', { name: 'Format' });
  window.history.back();
  expect(await nameField()).toHaveProperty('value', 'Stepwise');
  cleanup();
  const kept = sessionStorage.getItem('penstock.draft.pipeline.new') ?? '';
  openPage(service, '/pipelines/new?step=review');
  cleanup();
  sessionStorage.setItem('penstock.draft.pipeline.new', kept);
  render(<App router={createAppRouter({ signInProblem: null })} />);
  expect(await screen.findByRole('region', { name: 'Source' })).toBeTruthy();
  expect(screen.getByText('Stepwise')).toBeTruthy();
});

test('errors of unvisited steps are named at the step and in the review, and lead to their fields by keyboard', async () => {
  const { user } = openPage(service, '/pipelines/new?step=review');
  const problems = await screen.findByRole('alert');
  expect(within(problems).getByRole('listitem').textContent).toBe('Source: Name. Must not be empty.');
  expect(screen.getByRole('button', { name: 'Source 1 error' })).toBeTruthy();
  screen.getByRole('button', { name: 'Create pipeline' }).focus();
  await user.keyboard('{Enter}');
  await waitFor(() => expect(document.activeElement).toBe(problems));
  await user.keyboard('{Tab}{Enter}');
  await waitFor(() => expect(document.activeElement?.getAttribute('name')).toBe('name'));
  await user.keyboard('Tabbed{Enter}');
  await screen.findByRole('region', { name: 'Format' });
  expect(screen.queryByRole('button', { name: 'Source 1 error' })).toBeNull();
});

test('an edit is saved from any step; an error elsewhere opens its step', async () => {
  const id = await create('Anywhere', { type: 'mqtt', config: { topic: 'a/b' } });
  const { user } = openPage(service, `/pipelines/${id}/edit`);
  const topic = await screen.findByRole('textbox', { name: /^Topic/ });
  await user.clear(topic);
  await fill(user, topic, 'a/#/b');
  await openStep(user, 'Destination');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(document.activeElement).toBe(topic));
  await user.clear(topic);
  await user.type(topic, 'a/c');
  await openStep(user, 'Format');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByRole('heading', { level: 1, name: 'Anywhere' });
  expect(await read(id)).toMatchObject({ config: { topic: 'a/c' } });
});

test('the message of a test is handed to the preview', async () => {
  const { user } = openPage(service, '/pipelines/new');
  await fill(user, await nameField(), 'Meter hall');
  await chooseType(user, /^Polled URL/);
  const address = `http://127.0.0.1:${(meter.address() as AddressInfo).port}/`;
  await fill(user, screen.getByRole('textbox', { name: 'Address' }), address);
  await user.click(screen.getByRole('button', { name: 'Test' }));
  await user.click(await screen.findByRole('button', { name: 'Preview this message' }));
  const message = await screen.findByRole('textbox', { name: /^Message/ });
  expect(message).toHaveProperty('value', '{"device":"m-1","temp":4}');
  expect(await screen.findByRole('row', { name: 'm-1 temp 4 On arrival' })).toBeTruthy();
});

test('the message of a later test replaces that of an earlier one in the preview, but not a typed one', async () => {
  let temp = 4;
  const source = createHttpServer((_, answer) => void answer.end(`{"device":"m-3","temp":${temp++}}`));
  await new Promise<void>((resolve) => void source.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void source.close());
  const { user } = openPage(service, '/pipelines/new');
  await fill(user, await nameField(), 'Again');
  await chooseType(user, /^Polled URL/);
  const address = `http://127.0.0.1:${(source.address() as AddressInfo).port}/`;
  await fill(user, screen.getByRole('textbox', { name: 'Address' }), address);
  await openStep(user, 'Format');
  const message = await screen.findByRole('textbox', { name: /^Message/ });
  const runTest = () => user.click(screen.getByRole('button', { name: 'Test' }));
  await runTest();
  await waitFor(() => expect(message).toHaveProperty('value', '{"device":"m-3","temp":4}'));
  await runTest();
  await waitFor(() => expect(message).toHaveProperty('value', '{"device":"m-3","temp":5}'));
  await user.type(message, ' ');
  await runTest();
  await waitFor(() => expect(temp).toBe(7));
  await screen.findByText('Test passed');
  expect(message).toHaveProperty('value', '{"device":"m-3","temp":5} ');
});

test('a test that passes with rejected samples says so in its title', async () => {
  const text = JSON.stringify({ device: 'm-2', temp: 4, note: 'x'.repeat(1_025) });
  const partial = createHttpServer((_, answer) => void answer.end(text));
  await new Promise<void>((resolve) => void partial.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void partial.close());
  const { user } = openPage(service, '/pipelines/new');
  await fill(user, await nameField(), 'Partly');
  await chooseType(user, /^Polled URL/);
  const address = `http://127.0.0.1:${(partial.address() as AddressInfo).port}/`;
  await fill(user, screen.getByRole('textbox', { name: 'Address' }), address);
  await user.click(screen.getByRole('button', { name: 'Test' }));
  await screen.findByText('Test passed, with rejected samples');
  const steps = screen.getAllByRole('listitem').map(({ textContent }) => textContent);
  expect(steps).toContainEqual(
    expect.stringMatching(/^Mapping, passed with rejections:1 sample .*1 rejected/),
  );
});

test('the message of a test is no edit: an unchanged form stores no draft', async () => {
  const url = `http://127.0.0.1:${(meter.address() as AddressInfo).port}/`;
  const id = await create('Unchanged', { type: 'http-poll', config: { url } });
  const { user } = openPage(service, `/pipelines/${id}/edit?step=format`);
  await user.click(await screen.findByRole('button', { name: 'Test' }));
  const message = await screen.findByRole('textbox', { name: /^Message/ });
  await waitFor(() => expect(message).toHaveProperty('value', '{"device":"m-1","temp":4}'));
  expect(sessionStorage.getItem(`penstock.draft.pipeline.${id}`)).toBeNull();
});

test('the preview uses the newest message with its device', async () => {
  const id = await create('Live source');
  const send = (message: string) =>
    service.request('POST', `/v1/pipelines/${id}/messages?device=live-1`, { body: message });
  await send('{"temp": 1}');
  const { user } = openPage(service, `/pipelines/${id}/edit?step=format`);
  const take = await screen.findByRole('button', { name: 'Use the last message' });
  await send('{"temp": 2}');
  await user.click(take);
  const message = await screen.findByRole('textbox', { name: /^Message/ });
  await waitFor(() => expect(message).toHaveProperty('value', '{"temp": 2}'));
  expect(await screen.findByRole('row', { name: 'live-1 temp 2 On arrival' })).toBeTruthy();
});

test('the preview uses the last rejected message with its device', async () => {
  const id = await create('Rejecting');
  await service.request('POST', `/v1/pipelines/${id}/messages?device=live-2`, { body: '{"temp": null}' });
  const { user } = openPage(service, `/pipelines/${id}/edit?step=format`);
  await user.click(await screen.findByRole('button', { name: 'Use the last rejected message' }));
  const message = await screen.findByRole('textbox', { name: /^Message/ });
  expect(message).toHaveProperty('value', '{"temp": null}');
  const device = screen.getByRole('textbox', { name: /^Sent with/ });
  expect(device).toHaveProperty('value', 'live-2');
  await user.click(screen.getByRole('button', { name: 'Use an example' }));
  expect(message).not.toHaveProperty('value', '{"temp": null}');
  expect(device).toHaveProperty('value', 'live-2');
});

test('a message that is cut off is not offered for the preview', async () => {
  const id = await create('Wordy');
  const send = (message: string) =>
    service.request('POST', `/v1/pipelines/${id}/messages`, { body: message });
  await send('{"temp": null}');
  await send(`{"device": "wordy-1", "temp": 1, "note": "${'a'.repeat(70_000)}"}`);
  openPage(service, `/pipelines/${id}/edit?step=format`);
  expect(
    await screen.findByText('The last message cannot be previewed because only part of it is available.'),
  ).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Use the last message' })).toBeNull();
});

test('the message of a test that is cut off is not previewed', async () => {
  const url = `http://127.0.0.1:${(meter.address() as AddressInfo).port}/wordy`;
  const id = await create('Wordy source', { type: 'http-poll', config: { url } });
  const { user } = openPage(service, `/pipelines/${id}/edit?step=format`);
  await user.click(await screen.findByRole('button', { name: 'Test' }));
  const cutOff = 'Penstock cannot preview this message because only part of it is available.';
  expect(await screen.findByText(cutOff)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Preview this message' })).toBeNull();
  expect(await screen.findByRole('textbox', { name: /^Message/ })).toHaveProperty('value', '');
});

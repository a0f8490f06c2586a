import { screen, waitFor, within } from '@testing-library/react';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endpoints } from '#contract/endpoints.ts';
import { curlExample } from '#dashboard/pages/api-reference/curl-example.ts';
import { readReference, type Reference } from '#dashboard/pages/api-reference/reference.ts';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { fill } from './fill.ts';
import { openPage } from './open-page.tsx';

let service: TestService;
let reference: Reference;
beforeAll(async () => {
  service = await startTestService();
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
  await service.request('POST', '/v1/devices', { body: { name: 'Boiler 7', externalId: 'boiler-7' } });
  reference = readReference((await service.request('GET', '/v1/openapi.json')).body);
});
afterAll(() => service.close());

const entry = (name: RegExp | string) => screen.findByRole('button', { name, expanded: false });
const operationOf = (method: string, path: string) =>
  reference.operations.find((each) => each.method === method && each.path === path)!;
const linkTo = (method: string, path: string) => `/settings/api?open=${operationOf(method, path).id}`;
const curlOf = (method: string, path: string) =>
  curlExample(operationOf(method, path), reference.named, service.url);

test('every endpoint is on the page, in its group', async () => {
  openPage(service, '/settings/api');
  await screen.findByText(`${endpoints.length} endpoints`);
  for (const tag of new Set(endpoints.map(({ doc }) => doc.tag))) {
    const section = within(screen.getAllByRole('region', { name: tag })[0]!);
    const shown = section.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent);
    const expected = endpoints.filter(({ doc }) => doc.tag === tag);
    expect(shown).toHaveLength(expected.length);
    for (const { method, path, doc } of expected)
      expect(shown.some((text) => text.startsWith(`${method}${path}${doc.summary}`))).toBe(true);
  }
});

test('the body of every curl command is valid for its endpoint', () => {
  const bodies = endpoints.filter(({ body, bodyTypes }) => body !== undefined && bodyTypes?.[0] !== '*/*');
  expect(bodies.length).toBeGreaterThan(8);
  for (const { method, path, body } of bodies) {
    const [, text = ''] = /-d '(.*)'$/s.exec(curlOf(method, path)) ?? [];
    const parsed = body!.safeParse(JSON.parse(text.replaceAll(`'\\''`, "'")));
    expect({ path, text, wrong: parsed.error?.issues }).toEqual({ path, text, wrong: undefined });
  }
});

test('every GET command without an ID succeeds unchanged', async () => {
  const device = { name: 'Boiler 7', type: 'boiler' };
  await service.request('PUT', '/v1/devices/by-external-id/boiler-7', { body: device });
  await service.request('POST', '/v1/telemetry', {
    body: { samples: [{ device: 'boiler-7', values: { temperature: 71.5 } }] },
  });
  const lines = reference.operations
    .filter(({ method }) => method === 'GET')
    .map(({ method, path }) => curlOf(method, path))
    .filter((line) => !line.startsWith('curl -N') && !/\$(?!PENSTOCK_KEY)/.test(line));
  expect(lines.length).toBeGreaterThan(9);
  for (const line of lines) {
    const [url = ''] = /http[^\s"]+/.exec(line) ?? [];
    const { status } = await service.request('GET', url.slice(service.url.length));
    expect({ line, isOk: status === 200 || status === 204 }).toEqual({ line, isOk: true });
  }
});

test('a link opens an endpoint with its parameters, responses, errors and a curl command', async () => {
  const { user } = openPage(service, linkTo('POST', '/v1/devices'));
  const details = within(await screen.findByRole('region', { name: 'POST /v1/devices' }));
  await waitFor(() =>
    expect(document.activeElement?.textContent).toContain('POST/v1/devicesRegister a device'),
  );
  const body = within(details.getByRole('region', { name: /^Body of/ }));
  const name = body.getByText('name').closest('div')!;
  expect(name.textContent).toContain('required');
  expect(name.textContent).toContain('at most 100 characters, not empty');
  expect(name.textContent).toContain('For example Boiler 7');
  expect(body.getByText('externalId').closest('div')!.textContent).not.toContain('required');
  const response = details.getByRole('region', { name: /^Response 201 of/ });
  expect(within(response).getByText('never-seen')).toBeTruthy();
  const errors = within(details.getByRole('region', { name: /^Errors of/ }));
  expect(errors.getByText('validation-failed').closest('li')!.textContent).toBe(
    '422validation-failedValidation failed',
  );
  // Listed once, above.
  expect(errors.queryByText('token-expired')).toBeNull();

  await user.click(details.getByRole('button', { name: 'Copy: Register a device with curl' }));
  const copied = await navigator.clipboard.readText();
  expect(copied).toBe(
    [
      `curl -X POST ${service.url}/v1/devices`,
      '-H "Authorization: Bearer $PENSTOCK_KEY"',
      '-H "Content-Type: application/json"',
      `-d '{"name":"Boiler 7"}'`,
    ].join(' \\\n  '),
  );
});

test('parameters show their types, limits and defaults', async () => {
  openPage(service, linkTo('GET', '/v1/devices'));
  const query = within(
    within(await screen.findByRole('region', { name: 'GET /v1/devices' })).getByRole('region', {
      name: /^Query of/,
    }),
  );
  expect(query.getByText('limit', { selector: 'dt code' }).closest('div')!.textContent).toContain(
    'integer, 1–200, default 50',
  );
  const state = query.getByText('state', { selector: 'dt code' }).closest('div')!;
  expect(within(state).getByText('never-seen')).toBeTruthy();
  expect(state.textContent).toContain('Repeat the parameter');
});

test('open endpoints are in the URL', async () => {
  const { user } = openPage(service, '/settings/api');
  const button = await entry(/^GET\/v1\/overview/);
  button.focus();
  await user.keyboard('{Enter}');
  await screen.findByRole('region', { name: 'GET /v1/overview' });
  expect(`/settings/api${window.location.search}`).toBe(linkTo('GET', '/v1/overview'));
  await user.keyboard('{Enter}');
  await waitFor(() => expect(window.location.search).toBe(''));
  await waitFor(() => expect(screen.queryByRole('region', { name: 'GET /v1/overview' })).toBeNull());
});

test('finds endpoints by path, word, field and error code, and keeps the search in the URL', async () => {
  const { user } = openPage(service, '/settings/api?q=usedLastHour');
  await screen.findByText('5 endpoints found');
  const search = screen.getByRole('searchbox', { name: 'Search endpoints' });
  await user.clear(search);
  await fill(user, search, 'restore post');
  await screen.findByText(/^\d endpoints? found$/);
  await entry(/^POST\/v1\/devices\/\{id\}\/restore/);
  await waitFor(() => expect(window.location.search).toBe('?q=restore+post'));
  await user.clear(search);
  await fill(user, search, '412 patch');
  await entry(/^PATCH\/v1\/devices\/\{id\}Update/);
  await user.clear(search);
  await fill(user, search, 'patch 412');
  await entry(/^PATCH\/v1\/devices\/\{id\}Update/);
  await user.clear(search);
  await fill(user, search, 'nothing like it');
  await screen.findByText('No matching endpoints');
  await user.click(screen.getAllByRole('button', { name: 'Clear search' }).at(-1)!);
  await screen.findByText(`${endpoints.length} endpoints`);
});

test('says which endpoints this session can call', async () => {
  const { secret } = await service.mintKey(['devices:read']);
  openPage(service, linkTo('POST', '/v1/devices'), secret);
  await screen.findByText(', which this session lacks', { selector: 'p span' });
  await entry(/^GET\/v1\/devicesList devicesdevices:read, which this session has$/);
  await entry(/^GET\/v1\/healthCheck the health of the serviceno token$/);
});

test('the palette finds the reference', async () => {
  const { user } = openPage(service, '/settings/api-keys');
  await screen.findByRole('heading', { name: 'API keys', level: 1 });
  await user.keyboard('{Control>}k{/Control}');
  await fill(user, await screen.findByRole('combobox'), 'openapi');
  await user.click(await screen.findByRole('option', { name: /^API/ }));
  await screen.findByRole('heading', { name: 'API', level: 1 });
  await waitFor(() => expect(document.title).toBe('API · Penstock'));
});

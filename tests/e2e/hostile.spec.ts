import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { paths } from '#dashboard/paths.ts';
import { hostileTexts } from '../service/hostile-texts.ts';
import { goTo } from './go-to.ts';
import { expect, test } from './journey.ts';
import { tokenOf } from './open-session.ts';
import { callAs, callWith } from './service-api.ts';

test.use({ hasOwnContext: true });

type Named = { id: string; status: number };
type Stored = { devices: string[]; pipelines: string[]; webhooks: string[] };

/** Short enough for the field, and without the characters that the service rejects in names. */
const textsOf = (length: number): string[] => {
  const texts = Object.values(hostileTexts).map((text) =>
    text
      .replaceAll(/\p{Cc}|[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\p{Cs}/gu, '')
      .slice(0, length)
      .toWellFormed()
      .trim(),
  );
  return [...new Set(texts)].filter((text) => text !== '');
};

/** Stores hostile text through the API wherever a device or another user could. */
const storeHostileTexts = async (page: Page): Promise<Stored> => {
  const call = (method: string, path: string, body?: unknown) => callAs<Named>(page, method, path, body);
  await call('PATCH', '/v1/session', { label: '<b onclick=alert(1)>Ada' });
  const stored: Stored = { devices: [], pipelines: [], webhooks: [] };
  for (const [index, text] of textsOf(100).entries()) {
    const device = await call('POST', '/v1/devices', {
      name: text,
      externalId: ['__proto__', 'constructor', 'W'.repeat(125)][index] ?? `hostile-${index}`,
      type: text.slice(0, 64).trim(),
      description: text,
      tags: { ['t'.repeat(60)]: text, site: text },
    });
    expect([text, device.status]).toEqual([text, 201]);
    stored.devices.push(device.id);
    const pipeline = await call('POST', '/v1/pipelines', {
      name: text,
      type: index % 2 === 0 ? text.slice(0, 64).trim() : 'http',
      interval: 5,
      destination: index % 3 === 0 ? text : 'telemetry',
    });
    expect([text, pipeline.status]).toEqual([text, 201]);
    stored.pipelines.push(pipeline.id);
    await call('POST', '/v1/api-keys', { name: text, scopes: ['devices:read'] });
    const webhook = await call('POST', '/v1/webhooks', {
      name: text,
      url: `https://hooks.example.com/${encodeURIComponent(text)}?<script>`,
      events: ['device.deleted'],
    });
    stored.webhooks.push(webhook.id);
  }
  const [device = '', first = ''] = [stored.devices[0], stored.devices[1]];
  const metrics = [
    'toString',
    'hasOwnProperty',
    '__defineGetter__',
    'W'.repeat(128),
    'حرارة',
    'a/b:c.d-e_f',
    ...textsOf(400).map((_, index) => `text.${index}`),
  ];
  const values = (at: number) =>
    Object.fromEntries(
      metrics.map((metric, index) => [
        metric,
        index < 6 ? at : (textsOf(400)[(index + at) % textsOf(400).length] ?? ''),
      ]),
    );
  await call('POST', '/v1/telemetry', {
    samples: [device, first].flatMap((id) =>
      [3, 2, 1].map((ago) => ({ device: id, ts: Date.now() - ago * 20_000, values: values(ago) })),
    ),
  });
  for (const [index, metric] of metrics.slice(0, 6).entries())
    await call('PATCH', `/v1/devices/${device}/metrics/${encodeURIComponent(metric)}`, {
      unit: '<i>°C',
      label: textsOf(60)[index],
    });
  const source = await call('POST', '/v1/pipelines', {
    name: 'Whatever comes',
    type: 'http',
    interval: 5,
    destination: 'telemetry',
  });
  stored.pipelines.unshift(source.id);
  for (const text of Object.values(hostileTexts).toReversed()) {
    await call('POST', `/v1/pipelines/${source.id}/messages`, text === '' ? ' ' : text);
    await call('POST', `/v1/pipelines/${source.id}/messages`, { [text]: text, device: text });
  }
  await call('DELETE', `/v1/devices/${stored.devices.pop()}`);
  return stored;
};

/** The address of every page, with the IDs of stored resources. */
const addresses = ({ devices: [device = ''], pipelines: [pipeline = '', draft = ''] }: Stored): string[] => {
  const routes = readFileSync(join(import.meta.dirname, '../../src/dashboard/routes.tsx'), 'utf8');
  // The page for unknown addresses, `*`, is opened with one below.
  const found = [...routes.matchAll(/page\((?:paths\.(\w+)|'(\/[^']+)')/g)].map(([, name, path]) =>
    name === undefined ? path! : String(paths[name as keyof typeof paths]),
  );
  expect(found.length).toBeGreaterThan(10);
  const metrics = ['toString', 'W'.repeat(128), 'حرارة', 'text.0', 'text.1', 'text.2'];
  const chosen = `?device=${device}&${metrics.map((metric) => `metric=${encodeURIComponent(metric)}`).join('&')}`;
  return [
    ...found.flatMap((path) =>
      path.includes(':id')
        ? (path.startsWith('/devices') ? [device] : [pipeline, draft]).map((id) => path.replace(':id', id))
        : [path],
    ),
    `/devices/${device}?edit=${device}`,
    `/devices?q=${encodeURIComponent('<script>')}&type=${encodeURIComponent('javascript:window.hacked=1')}&tag=${encodeURIComponent('site:"><img src=x>')}`,
    `/telemetry${chosen}`,
    `/telemetry${chosen}&view=table`,
    `/telemetry?device=<script>&tag=${encodeURIComponent('<b>:<i>')}&metric=__proto__&range=<script>`,
    `/activity?subject=<script>&type=__proto__`,
    '/nothing/<script>alert(1)</script>/%2e%2e',
    '/signin?to=javascript:window.hacked=1',
  ];
};

/** Collects violations from now on: scripts that run, dialogs, errors and blocked content. */
const watch = async (page: Page): Promise<string[]> => {
  const problems: string[] = [];
  await page.exposeFunction('reportProblem', (problem: string) => void problems.push(problem));
  await page.addInitScript(() => {
    const report = (problem: string) =>
      (window as unknown as { reportProblem(problem: string): void }).reportProblem(problem);
    document.addEventListener('securitypolicyviolation', (event) =>
      report(`${event.violatedDirective} by ${event.blockedURI} at ${location.href}`),
    );
    Object.defineProperty(window, 'hacked', { set: () => report(`a script ran at ${location.href}`) });
  });
  page.on('dialog', (dialog) => {
    problems.push(`a dialog at ${page.url()}`);
    void dialog.dismiss();
  });
  page.on('pageerror', (error) => problems.push(`${error.message} at ${page.url()}`));
  return problems;
};

/** Finds elements that were created from text, links with other schemes, and horizontal scrolling. */
const checkContent = async (page: Page, problems: string[]): Promise<void> => {
  const found = await page.evaluate(() => {
    const all = (selector: string) => [...document.querySelectorAll(selector)];
    const nameOf = ({ tagName, className, textContent }: Element) =>
      `${tagName}.${String(className).slice(0, 100)}: ${textContent?.slice(0, 40)}`;
    const isClipped = (element: Element): boolean =>
      ['hidden', 'auto', 'scroll', 'clip'].includes(getComputedStyle(element).overflowX) ||
      (element.parentElement !== null && isClipped(element.parentElement));
    const scrollsSideways = document.documentElement.scrollWidth > innerWidth;
    return [
      ...all('main script, main b, main i, img[src="x"], [onclick], [onerror], [onload]').map(nameOf),
      ...all('a[href]')
        .filter((link) => !/^https?:$/.test((link as HTMLAnchorElement).protocol))
        .map(nameOf),
      ...(scrollsSideways ? [`the page scrolls sideways to ${document.documentElement.scrollWidth} px`] : []),
      ...(scrollsSideways
        ? all('body *')
            .filter((each) => each.getBoundingClientRect().right > innerWidth + 1 && !isClipped(each))
            .map(nameOf)
            .slice(-3)
        : []),
    ];
  });
  problems.push(...found.map((problem) => `${problem} at ${page.url()}`));
};

const settle = async (page: Page): Promise<void> => {
  // A drawer opened by the address hides the page from assistive software.
  await expect(page.getByRole('heading', { level: 1, includeHidden: true }).first()).toBeVisible();
  await expect(page.locator('[aria-busy=true], .animate-pulse.bg-hover')).toHaveCount(0);
};

let stored: Stored | undefined;
// Otherwise they are first among what needs attention in the other journeys of the worker.
test.afterAll(async ({ service, sharedSession }) => {
  const { pipelines = [], webhooks = [] } = stored ?? {};
  for (const path of [...pipelines.map((id) => `pipelines/${id}`), ...webhooks.map((id) => `webhooks/${id}`)])
    await callWith(service.url, tokenOf(sharedSession), 'DELETE', `/v1/${path}`);
});

for (const width of [360, 1_440])
  test(`hostile text is shown as text on every page, ${width} px wide`, async ({ page, service }) => {
    test.setTimeout(120_000);
    stored ??= await storeHostileTexts(page);
    const problems = await watch(page);
    await page.setViewportSize({ width, height: 900 });
    for (const address of addresses(stored)) {
      await test.step(address.slice(0, 100), async () => {
        await goTo(page, `${service.url}${address}`);
        await settle(page);
        await checkContent(page, problems);
      });
    }
    expect(problems).toEqual([]);
  });

test('hostile text is shown as text in palette, drawers, menus, dialogs, toasts and charts', async ({
  page,
  service,
}) => {
  test.setTimeout(120_000);
  page.setDefaultTimeout(10_000);
  stored ??= await storeHostileTexts(page);
  const problems = await watch(page);
  const script = hostileTexts['script']!;
  const {
    devices: [device = ''],
    pipelines: [pipeline = '', draft = ''],
  } = stored;
  const open = async (address: string) => {
    await goTo(page, `${service.url}${address}`);
    await settle(page);
  };

  await open('/');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('window.hacked');
  await expect(page.getByRole('option', { name: script }).first()).toBeVisible();
  await checkContent(page, problems);
  await page.keyboard.press('Escape');

  await open(`/devices/${device}`);
  await expect(page.getByRole('heading', { level: 1, name: script })).toBeVisible();
  const chart = page.getByRole('application').first();
  await chart.hover();
  await chart.focus();
  await page.keyboard.press('End');
  await checkContent(page, problems);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await expect(page.getByRole('dialog').getByRole('textbox', { name: 'Name', exact: true })).toHaveValue(
    script,
  );
  await checkContent(page, problems);
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Edit text.0', exact: true }).click();
  await expect(page.getByRole('dialog').getByRole('textbox', { name: /^Unit/ })).toBeVisible();
  await checkContent(page, problems);
  await page.keyboard.press('Escape');

  await open('/settings/api-keys?q=window.hacked');
  const key = page.getByRole('row').filter({ hasText: script }).first();
  await key.getByRole('button').last().click();
  await checkContent(page, problems);
  await page.getByRole('menuitem', { name: /revoke/i }).click();
  await expect(page.getByRole('dialog').last()).toContainText(script);
  await checkContent(page, problems);

  await open(`/pipelines/${pipeline}`);
  await expect(page.getByRole('region', { name: 'Rejections' })).toContainText(script);
  await page.getByRole('link', { name: 'Fix and replay' }).first().click();
  await expect(page.getByRole('region', { name: 'Preview' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Outcome' })).toContainText('Tested 1 message');
  await checkContent(page, problems);

  await open(`/pipelines/${draft}`);
  await page.getByRole('button', { name: /^More/ }).click();
  await page.getByRole('menuitem', { name: /^Delete/ }).click();
  await expect(page.getByRole('dialog').last()).toContainText(script);
  await checkContent(page, problems);

  await open(`/telemetry?device=${device}&metric=text.0&metric=toString`);
  for (const each of await page.getByRole('application').all()) {
    await each.scrollIntoViewIfNeeded();
    await each.hover();
    await each.focus();
    await page.keyboard.press('End');
  }
  await checkContent(page, problems);
  await page.getByRole('combobox', { name: 'Devices' }).fill('window.hacked');
  await expect(page.getByRole('option').filter({ hasText: script }).first()).toBeVisible();
  await checkContent(page, problems);

  await open(`/devices/${stored.devices.at(-1)}`);
  await page.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible();
  await checkContent(page, problems);
  expect(problems).toEqual([]);
});

import type { Browser, Page } from '@playwright/test';
import { isFullRun } from '../service/sized.ts';
import { dashboardPages, type ShownResources } from './dashboard-pages.ts';
import { goTo } from './go-to.ts';
import { expect, test } from './journey.ts';
import { openStep } from './open-step.ts';
import { openSession, tokenOf, type SignedIn } from './open-session.ts';
import { startRunningService } from './running-service.ts';
import { callAs, callWith } from './service-api.ts';

/** Every page in every state with `npm run test:full`; otherwise each page in at most one of the states, in turn. */
const pagesOf = (turn: number, turns = 3) =>
  isFullRun ? dashboardPages : dashboardPages.filter((_, index) => index % turns === turn);

/** A page has its final state when no skeleton is left. */
const open = async (page: Page, url: string) => {
  await goTo(page, url);
  await expect(page.getByRole('main').getByRole('heading').first()).toBeVisible();
  await expect(page.locator('main .animate-pulse')).toHaveCount(0);
};

const openWith = async (browser: Browser, storageState: SignedIn) => {
  const context = await browser.newContext({ storageState, viewport: { width: 1_440, height: 900 } });
  return context.newPage();
};

type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>;

const createShown = async (call: Call): Promise<ShownResources> => {
  const { id: pipeline } = await call<{ id: string }>('POST', '/v1/pipelines', {
    name: `Accessible ${Date.now()}`,
    type: 'http',
    interval: 5,
    destination: 'telemetry',
  });
  const { id: device } = await call<{ id: string }>('POST', '/v1/devices', {
    name: 'Accessible',
    type: 'fan',
  });
  return { device, pipeline };
};

test('pages with data pass the accessibility check', async ({ page, service, expectAccessible }) => {
  const call: Call = (...request) => callAs(page, ...request);
  const shown = await createShown(call);
  for (const values of [{ temperature: 21 }, { temperature: {} }])
    await call('POST', `/v1/pipelines/${shown.pipeline}/messages`, { device: shown.device, values });
  for (const { route, path } of pagesOf(0))
    await test.step(route, async () => {
      await open(page, `${service.url}${path(shown)}`);
      await expectAccessible(page);
    });
});

test('pages whose data cannot be loaded pass the accessibility check', async ({
  page,
  service,
  expectAccessible,
}) => {
  const shown = await createShown((...request) => callAs(page, ...request));
  await page.route(/\/v1\/(?!session)/, (route) => route.abort('connectionrefused'));
  for (const { route, path, scope } of pagesOf(1, 6))
    await test.step(route, async () => {
      await open(page, `${service.url}${path(shown)}`);
      if (scope !== undefined) await expect(page.getByRole('main')).toContainText('Cannot reach the service');
      await expectAccessible(page);
    });
});

test('pages without access request nothing that is rejected, and pass the accessibility check', async ({
  page,
  browser,
  service,
  expectAccessible,
}) => {
  const shown = await createShown((...request) => callAs(page, ...request));
  const key = await callAs<{ secret: string }>(page, 'POST', '/v1/api-keys', {
    name: 'Without access',
    scopes: ['telemetry:write'],
  });
  const limited = await openWith(browser, await openSession(`${service.url}/#signin=${key.secret}`, 'Eve'));
  const rejected: string[] = [];
  limited.on('response', (response) => {
    if (response.status() === 403) rejected.push(new URL(response.url()).pathname);
  });
  for (const { route, path, scope } of pagesOf(2))
    await test.step(route, async () => {
      await open(limited, `${service.url}${path(shown)}`);
      if (scope !== undefined) await expect(limited.getByRole('main')).toContainText(scope);
      await expectAccessible(limited);
    });
  expect(rejected).toEqual([]);
  await limited.context().close();
});

test('the details and the activity of a key pass the accessibility check', async ({
  page,
  browser,
  service,
  expectAccessible,
}) => {
  const create = (name: string, scopes: string[]) =>
    callAs<{ id: string; secret: string }>(page, 'POST', '/v1/api-keys', { name, scopes });
  const key = await create('Checked', ['telemetry:write']);
  const limited = await create('Without keys', ['devices:read']);
  await callAs(page, 'POST', '/v1/telemetry', { samples: [{ device: 'checked-1', values: { t: 1 } }] });
  const [details, activity] = [`/settings/api-keys?key=${key.id}`, `/activity?subject=${key.id}`];
  const drawer = page.getByRole('dialog');

  await test.step('loaded', async () => {
    await page.goto(`${service.url}${details}`);
    await expect(page.locator('h1')).toHaveCount(1);
    await expect(drawer).toContainText('Activity of this key');
    await expectAccessible(page);
    await drawer.getByRole('button', { name: 'Rotate…' }).click();
    await expect(page.getByRole('dialog', { name: 'Rotate Checked' })).toBeVisible();
    await expectAccessible(page);
    await open(page, `${service.url}${activity}`);
    await page.getByRole('main').getByRole('button', { expanded: false }).last().click();
    await expect(page.getByText('api-key.created')).toBeVisible();
    await expectAccessible(page);
  });

  // The tests above check these states on all pages.
  if (!isFullRun) return;

  await test.step('without access', async () => {
    const session = await openSession(`${service.url}/#signin=${limited.secret}`, 'Eve');
    const other = await openWith(browser, session);
    await other.goto(`${service.url}${details}`);
    await expect(other.getByRole('dialog')).toContainText('api-keys:manage');
    await expectAccessible(other);
    await open(other, `${service.url}${activity}`);
    await expect(other.getByRole('main')).toContainText('events:read');
    await expectAccessible(other);
    await other.context().close();
  });

  await test.step('failed', async () => {
    await page.route(/\/v1\/(?!session)/, (route) => route.abort('connectionrefused'));
    await page.goto(`${service.url}${details}`);
    await expect(drawer).toContainText('Cannot reach the service');
    await expect(page.locator('h1')).toHaveCount(1);
    await expectAccessible(page);
    await open(page, `${service.url}${activity}`);
    await expect(page.getByRole('main')).toContainText('Cannot reach the service');
    await expectAccessible(page);
    await page.unroute(/\/v1\/(?!session)/);
  });

  await test.step('loading', async () => {
    // Never answered.
    await page.route(/\/v1\/(?!session)/, () => undefined);
    await page.goto(`${service.url}${details}`);
    await expect(drawer.locator('.animate-pulse').first()).toBeVisible();
    await expectAccessible(page);
    await page.goto(`${service.url}${activity}`);
    // While its code loads, a page has placeholders without a heading.
    await expect(page.getByRole('main').getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.locator('main .animate-pulse').first()).toBeVisible();
    await expectAccessible(page);
  });
});

test('the fields of a previewed message pass the accessibility check with every role', async ({
  page,
  service,
  expectAccessible,
}) => {
  await page.goto(`${service.url}/pipelines/new`);
  await page.getByRole('radio', { name: /^HTTP/ }).click();
  await openStep(page, 'Format');
  const message = {
    sensorId: 'probe-4',
    sampled: 1_795_767_966_000,
    temp: 21.5,
    unit: 'C',
    level: '12 %',
    meter: { serial: 'A-77' },
  };
  await page.getByRole('textbox', { name: /^Message/ }).fill(JSON.stringify(message));
  const fields = page.getByRole('region', { name: 'Fields' });
  await expect(fields).toBeVisible();
  await test.step('with a question', async () => {
    await expect(page.getByRole('region', { name: 'meter.serial looks like an identifier' })).toBeVisible();
    await expectAccessible(page);
  });
  const choose = async (field: string, role: string) => {
    const select = fields.getByRole('combobox', { name: `Role of ${field}` });
    await select.click();
    await page.getByRole('option', { name: role, exact: true }).click();
    // A list that still fades out would match the options of the next one.
    await expect(page.getByRole('listbox')).toHaveCount(0);
    await expect(select).toContainText(role);
  };
  await test.step('with every role', async () => {
    await choose('sampled', 'Time');
    await choose('unit', 'Unit');
    await choose('level', 'Number');
    await choose('meter.serial', 'Left out');
    await expect(fields).toContainText('Rule:');
    await expectAccessible(page);
  });
  await test.step('with a list of roles', async () => {
    await fields.getByRole('combobox', { name: 'Role of temp' }).press('Enter');
    await expect(page.getByRole('listbox')).toBeVisible();
    await expectAccessible(page, 'listbox');
  });
});

const checkNewService: Parameters<typeof test>[2] = async ({ browser, expectAccessible }) => {
  const service = await startRunningService({ SEED: 'none' });
  try {
    const signedIn = await openSession(service.signinLink, 'Ada');
    const token = tokenOf(signedIn);
    const page = await openWith(browser, signedIn);
    let shown: ShownResources = { device: '', pipeline: '' };
    const hasId = ({ route }: { route: string }) => route.includes(':id');
    const lists = dashboardPages.filter((each) => !hasId(each));
    // The details last: their resources would be in the lists.
    for (const { route, path } of [...lists, ...dashboardPages.filter(hasId)])
      await test.step(route, async () => {
        if (hasId({ route }) && shown.device === '')
          shown = await createShown((...request) => callWith(service.url, token, ...request));
        await open(page, `${service.url}${path(shown)}`);
        await expectAccessible(page);
      });
    await page.context().close();
  } finally {
    await service.remove();
  }
};

// A service of its own takes seconds.
if (isFullRun) test('pages of a new service pass the accessibility check', checkNewService);

import type { Browser, Page } from '@playwright/test';
import { expect, test } from './journey.ts';
import { openSession } from './open-session.ts';
import type { RunningService } from './running-service.ts';
import { callAs } from './service-api.ts';

/** Another operator in a separate browser. */
const openAsGrace = async (browser: Browser, service: RunningService): Promise<Page> => {
  const storageState = await openSession(await service.newSigninLink(), 'Grace');
  const context = await browser.newContext({ storageState });
  const page = await context.newPage();
  await page.goto(service.url);
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible();
  return page;
};

test('two operators edit one device: the second sees the conflict with both versions, and loses nothing', async ({
  page,
  browser,
  service,
  expectAccessible,
}) => {
  const { id } = await callAs<{ id: string }>(page, 'POST', '/v1/devices', {
    name: 'Boiler 7',
    type: 'boiler',
    tags: { site: 'north' },
  });
  const grace = await openAsGrace(browser, service);
  for (const each of [page, grace]) {
    await each.goto(`${service.url}/devices/${id}?edit=${id}`);
    await expect(each.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('Boiler 7');
    await expect(each.getByRole('button', { name: 'Connection: live', includeHidden: true })).toBeAttached();
  }
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Boiler seven');
  await page.getByRole('textbox', { name: /^Description/ }).fill('Behind the stairs');
  await grace.getByRole('textbox', { name: 'Name', exact: true }).fill('Boiler VII');
  await grace.getByRole('textbox', { name: /^Type/ }).fill('kettle');
  await grace.getByRole('button', { name: 'Save' }).click();
  await expect(grace.getByRole('heading', { name: 'Boiler VII', level: 1 })).toBeVisible();

  const notice = page.getByRole('region', { name: 'Updated elsewhere' });
  await expect(notice.getByRole('alert')).toHaveText('Grace updated this device while you edited it.');
  await expect(notice.getByRole('group', { name: 'Name' })).toContainText('Boiler seven');
  await expect(notice.getByRole('group', { name: 'Name' })).toContainText('Boiler VII');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(notice.getByText('Choose a version.')).toBeVisible();
  // By keyboard: the first choice has the focus.
  await page.keyboard.press('Space');
  await expect(
    notice.getByRole('group', { name: 'Name' }).getByRole('radio', { name: /^Mine/ }),
  ).toBeChecked();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { name: 'Boiler seven', level: 1 })).toBeVisible();
  await expect(grace.getByRole('heading', { name: 'Boiler seven', level: 1 })).toBeVisible();
  expect(await callAs(page, 'GET', `/v1/devices/${id}`)).toMatchObject({
    name: 'Boiler seven',
    type: 'kettle',
    description: 'Behind the stairs',
    tags: { site: 'north' },
  });

  await page.goto(`${service.url}/devices/${id}?edit=${id}`);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Boiler eight');
  await grace.getByRole('button', { name: 'Delete' }).click();
  const gone = page.getByRole('region', { name: 'Deleted elsewhere' });
  await expect(gone.getByRole('alert')).toHaveText('Grace deleted this device while you edited it.');
  await expectAccessible(page);
  await gone.getByRole('button', { name: 'Restore device' }).click();
  await expect(page.getByRole('region', { name: 'Restored elsewhere' })).toBeVisible();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { name: 'Boiler eight', level: 1 })).toBeVisible();
  await grace.context().close();
});

test('two operators edit one pipeline, and both edits are kept', async ({ page, service }) => {
  const { id } = await callAs<{ id: string }>(page, 'POST', '/v1/pipelines', {
    name: 'Hall',
    type: 'http',
    interval: 10,
    destination: 'telemetry',
  });
  await page.goto(`${service.url}/pipelines/${id}/edit`);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Hall one');
  await expect(page.getByRole('button', { name: 'Connection: live' })).toBeAttached();
  await callAs(page, 'PATCH', `/v1/pipelines/${id}`, { interval: 60 });
  const notice = page.getByRole('region', { name: 'Updated elsewhere' });
  await expect(notice.getByRole('group', { name: 'Interval' })).toContainText('1 min');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { name: 'Hall one', level: 1 })).toBeVisible();
  expect(await callAs(page, 'GET', `/v1/pipelines/${id}`)).toMatchObject({ name: 'Hall one', interval: 60 });
});

import { expect, test } from './journey.ts';
import { callAs, callWith } from './service-api.ts';

/** The longest kind of address. */
const ADDRESS = '2001:db8:85a3:8d3:1319:8a2e:370:7348';

test.use({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, hasOwnContext: true });

test('on a phone, the address that last used a key stays within the dialog that revokes the key', async ({
  page,
  service,
}) => {
  const { id, secret } = await callAs<{ id: string; secret: string }>(page, 'POST', '/v1/api-keys', {
    name: 'On a phone',
    scopes: ['devices:read'],
  });
  await callWith(service.url, secret, 'GET', '/v1/devices');
  // The service of the test listens on IPv4 only.
  await page.route(`**/v1/api-keys/${id}`, async (route) => {
    const key = (await (await route.fetch()).json()) as object;
    await route.fulfill({ json: { ...key, lastUsedFrom: ADDRESS } });
  });
  await page.goto(`${service.url}/settings/api-keys?key=${id}`);
  await page.getByRole('button', { name: 'Revoke…' }).click();
  const fact = page.getByRole('definition').filter({ hasText: ADDRESS }).last();
  await expect(fact).toBeVisible();
  const address = fact.getByText(ADDRESS, { exact: true });
  // At one time: the dialog grows as it opens.
  const pastEndPx = await address.evaluate(
    (text, around) => text.getBoundingClientRect().right - around.getBoundingClientRect().right,
    await fact.elementHandle(),
  );
  expect(pastEndPx).toBeLessThanOrEqual(0);
  // The page may be reading the key once more.
  await page.unrouteAll({ behavior: 'wait' });
});

test('on a phone, the description of a page has the width of the page', async ({ page, service }) => {
  await page.goto(`${service.url}/settings/api`);
  const box = await page.getByText('The endpoints of this server.').boundingBox();
  expect(box?.width).toBeGreaterThan(300);
});

for (const name of ['plant_north_building_7_floor_2_room_214_radiator_valve_3', 'x'.repeat(80)])
  test(`on a phone, Connect breaks a device name of ${name.length} characters without spaces`, async ({
    page,
    service,
  }) => {
    const { id } = await callAs<{ id: string }>(page, 'POST', '/v1/devices', { name, externalId: name });
    await page.goto(`${service.url}/devices/${id}?connect=curl`);
    await expect(page.getByText(`This key can only send telemetry for ${name}.`)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Create key' })).toBeVisible();
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
      .toBeLessThanOrEqual(360);
  });

test('on a narrow phone, the toolbar of a live chart takes three lines', async ({ page, service }) => {
  await page.setViewportSize({ width: 344, height: 740 });
  await callAs(page, 'POST', '/v1/telemetry', {
    samples: [{ device: 'narrow-1', values: { temperature: 20 } }],
  });
  await page.goto(`${service.url}/telemetry?device=narrow-1&metric=temperature`);
  const earlier = page.getByRole('button', { name: 'Earlier' });
  await expect(earlier).toBeVisible();
  const custom = await page.getByRole('button', { name: /^From – to|^Range from/ }).boundingBox();
  expect((await earlier.boundingBox())?.y).toBe(custom?.y);
  const live = await page.getByRole('button', { name: 'Live', exact: true }).boundingBox();
  expect((await page.getByText('Table', { exact: true }).boundingBox())?.y).toBeCloseTo(live!.y, -1);
});

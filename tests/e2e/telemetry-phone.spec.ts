import { expect, test } from './journey.ts';
import { callAs } from './service-api.ts';

const MINUTE_MS = 60_000;
const METRICS = ['weather.station.north.outside.temperature', 'weather.room.a.b.t', 'q.c'];

test('the options and the table fit a phone, however long the names of metrics are', async ({
  page,
  service,
}) => {
  await callAs(page, 'POST', '/v1/telemetry', {
    samples: [3, 2, 1].map((minutes) => ({
      device: 'weather-mast',
      ts: Date.now() - minutes * MINUTE_MS,
      values: Object.fromEntries(METRICS.map((name) => [name, minutes + 0.123_456])),
    })),
  });
  const { data } = await callAs<{ data: { id: string }[] }>(page, 'GET', '/v1/devices?q=weather-mast');
  const metrics = METRICS.map((name) => `&metric=${name}`).join('');
  const options = page.getByRole('dialog', { name: 'Chart options' });
  const isCutOff = (element: Element) => element.scrollWidth > element.clientWidth;
  for (const width of [1_440, 360]) {
    await page.setViewportSize({ width, height: 740 });
    await page.goto(`${service.url}/telemetry?device=${data[0]?.id}${metrics}`);
    await page.getByRole('button', { name: 'Options' }).click();
    await expect(options.getByRole('combobox', { name: `Show ${METRICS[0]} as` })).toBeVisible();
    expect(await options.evaluate(isCutOff)).toBe(false);
  }
  const heading = await page.getByRole('heading', { name: 'Telemetry' }).boundingBox();
  expect((await options.boundingBox())?.y).toBeGreaterThan((heading?.y ?? 0) + (heading?.height ?? 0));
  await page.keyboard.press('Escape');
  await page.getByText('Table', { exact: true }).click();
  const values = page.getByRole('region', { name: 'Values' });
  await expect(values.getByRole('rowheader', { name: METRICS[0] ?? '' }).first()).toBeVisible();
  expect(await values.evaluate(isCutOff)).toBe(false);
});

test('the statistics show the names of their series at every width', async ({ page, service }) => {
  const samples = [3, 2, 1].map((minutes) => ({
    device: 'plant',
    ts: Date.now() - minutes * MINUTE_MS,
    values: { temperature: minutes * 7.123_456, energy: minutes * 412.026_111 },
  }));
  await callAs(page, 'POST', '/v1/telemetry', { samples });
  const { data } = await callAs<{ data: { id: string }[] }>(page, 'GET', '/v1/devices?q=plant');
  await page.goto(`${service.url}/telemetry?device=${data[0]?.id}`);
  const name = page
    .getByLabel('Series', { exact: true })
    .getByRole('button', { name: 'temperature', exact: true });
  for (const width of [1_440, 1_152, 1_024, 768, 360]) {
    await page.setViewportSize({ width, height: 740 });
    const isWhole = () =>
      name
        .locator('span')
        .last()
        .evaluate((text) => text.scrollWidth <= text.clientWidth);
    await expect.poll(isWhole, `${width} px`).toBe(true);
  }
});

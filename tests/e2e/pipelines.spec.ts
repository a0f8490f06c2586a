import { expect, test } from './journey.ts';
import { openStep } from './open-step.ts';
import { callAs } from './service-api.ts';

type Pipeline = {
  id: string;
  state: string;
  ledger: { received: number; delivered: number; pending: number; rejected: number };
};

const isBalanced = ({ ledger }: Pipeline): boolean =>
  ledger.received === ledger.delivered + ledger.pending + ledger.rejected;

test('an HTTP pipeline accepts every format, and lists other messages as rejections', async ({
  page,
  service,
  expectAccessible,
}) => {
  await page.goto(service.url);
  await page.getByRole('link', { name: 'Pipelines', exact: true }).first().click();
  await expect(page.getByRole('heading', { name: 'Pipelines', level: 1 })).toBeVisible();
  await page.getByRole('link', { name: 'New pipeline' }).first().click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Webhooks');
  await page.getByRole('radio', { name: /^HTTP/ }).click();
  await openStep(page, 'Format');
  const message = page.getByRole('textbox', { name: /^Message/ });
  const preview = page.getByRole('region', { name: 'Preview' });
  await message.fill('{"scale":"bridge-1","readings":[{"at":"2026-11-27 17:50:00","kg":12}]}');
  // On one line beside a long value.
  const unnamed = preview.getByRole('cell', { name: '(no device)' }).first();
  await expect.poll(async () => (await unnamed.boundingBox())?.height).toBeLessThan(40);
  await message.fill('{"temperature": 21.5}');
  await expect(preview).toContainText(/device/i);
  await expectAccessible(page);
  await openStep(page, 'Review');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create pipeline' }).click();
  await expect(page.getByRole('heading', { name: 'Webhooks', level: 1 })).toBeVisible();
  const id = /pip_\w+/.exec(page.url())?.[0] ?? '';

  const send = (message: unknown) =>
    callAs<{ received: number; rejected: number }>(
      page,
      'POST',
      `/v1/pipelines/${id}/messages?device=hook-1`,
      message,
    );
  const messages: [unknown, number, number][] = [
    [{ device: 'own-1', values: { temperature: 1, burning: true } }, 2, 0],
    [{ temperature: 21.5, humidity: 40 }, 2, 0],
    [[{ ts: Date.now() - 1_000, values: { pressure: 3 } }], 1, 0],
    [[{ bn: 'senml-1:', n: 'voltage', u: 'V', v: 120.1 }], 1, 0],
    [{ deviceInfo: { devEui: '0101010101010101', deviceName: 'Cold store' }, object: { t: -18 } }, 1, 0],
    [{ end_device_ids: { device_id: 'dev1' }, uplink_message: { decoded_payload: { t: 1 } } }, 1, 0],
    ['this is no message', 1, 1],
  ];
  for (const [message, received, rejected] of messages) {
    expect(await send(message)).toMatchObject({ received, rejected });
    expect(isBalanced(await callAs<Pipeline>(page, 'GET', `/v1/pipelines/${id}`))).toBe(true);
  }

  await expect(page.getByText('received 9 = delivered 8 + pending 0 + rejected 1').first()).toBeVisible();
  const rejections = page.getByRole('region', { name: 'Rejections' });
  await expect(rejections).toContainText('this is no message');
  await expect(rejections).toContainText(/not JSON/i);
  await expectAccessible(page);

  // Other journeys also register devices, so the test searches for each by name.
  for (const name of ['own-1', 'hook-1', 'senml-1', 'Cold store', 'dev1']) {
    await page.goto(new URL(`/devices?q=${encodeURIComponent(name)}`, page.url()).href);
    await expect(page.getByRole('row').filter({ hasText: name }).first()).toContainText('Online');
  }
});

test('an expression maps other messages; the preview reports one that never ends', async ({
  page,
  service,
  expectAccessible,
}) => {
  await page.goto(`${service.url}/pipelines/new`);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Scaled');
  await page.getByRole('radio', { name: /^HTTP/ }).click();
  await openStep(page, 'Format');
  await page.getByRole('textbox', { name: /^Message/ }).fill('{"t": 215}');
  await page.getByRole('textbox', { name: /^Sent with/ }).fill('cellar');
  await page.getByRole('radio', { name: /^Expression/ }).click();
  const expression = page.getByRole('textbox', { name: 'Expression' });
  const preview = page.getByRole('region', { name: 'Preview' });
  await expression.fill('/^(a+)+$/("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!")');
  await expect(preview).toContainText('The expression took too long');
  await expression.fill('{ "values": { "temperature": t / 10 } }');
  await expect(preview.getByRole('row', { name: 'cellar temperature 21.5 On arrival' })).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 800 });
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await page.setViewportSize({ width: 1440, height: 900 });
  await openStep(page, 'Review');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create pipeline' }).click();
  await expect(page.getByRole('heading', { name: 'Scaled', level: 1 })).toBeVisible();
  const id = /pip_\w+/.exec(page.url())?.[0] ?? '';
  await callAs(page, 'POST', `/v1/pipelines/${id}/messages?device=cellar`, { t: 190 });
  const latest = await callAs<{ data: unknown }>(page, 'GET', '/v1/telemetry/latest?device=cellar');
  expect(latest.data).toMatchObject([{ metric: 'temperature', value: 19 }]);
});

test('the mapping is fixed with a preview of a rejection, also on a phone, and the rejection is replayed', async ({
  page,
  service,
  expectAccessible,
}) => {
  const { id } = await callAs<Pipeline>(page, 'POST', '/v1/pipelines', {
    name: 'Comma decimals',
    type: 'http',
    interval: 10,
    destination: 'telemetry',
  });
  for (const n of [1, 2, 3])
    await callAs(page, 'POST', `/v1/pipelines/${id}/messages`, { kiln: `kiln-${n}`, temp: `80${n},5` });
  await page.goto(`${service.url}/pipelines/${id}`);
  // The notice moves the panels when it appears.
  await expect(page.getByRole('region', { name: 'State' })).toContainText('Samples rejected');
  const rejections = page.getByRole('region', { name: 'Rejections' });
  await rejections
    .getByRole('list', { name: 'Reasons' })
    .getByRole('button', { name: /^No device/ })
    .click();
  await rejections.getByRole('button', { name: 'Replay these…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('6 samples would still be rejected');
  await expect(dialog).toContainText('Tested 3 messages');
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 800 });
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await page.setViewportSize({ width: 1440, height: 900 });
  await dialog.getByRole('link', { name: 'Fix and replay' }).click();

  const outcome = page.getByRole('region', { name: 'Outcome' });
  await expect(outcome).toContainText('6 samples would still be rejected');
  await page.getByRole('radio', { name: /^Expression/ }).click();
  await page
    .getByRole('textbox', { name: 'Expression' })
    .fill('{ "device": kiln, "values": { "temp": $number($replace(temp, ",", ".")) } }');
  await expect(outcome).toContainText('3 samples would be accepted');
  await expect(outcome.getByRole('row', { name: /^kiln-2 temp 802.5/ })).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize({ width: 360, height: 800 });
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('button', { name: 'Save and replay' }).click();
  await expect(page.getByText('Replayed 3 samples')).toBeVisible();
  await expect(page.getByText('received 3 = delivered 3 + pending 0 + rejected 0').first()).toBeVisible();
  const latest = await callAs<{ data: unknown }>(page, 'GET', '/v1/telemetry/latest?device=kiln-2');
  expect(latest.data).toMatchObject([{ metric: 'temp', value: 802.5 }]);
});

test('the buttons of the form keep their places, and nothing covers them or the result of a test', async ({
  page,
  service,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${service.url}/pipelines/new`);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('In place');
  await page.getByRole('radio', { name: /^HTTP/ }).click();
  const next = page.getByRole('button', { name: /^Next/ });
  const before = await next.boundingBox();
  await next.click();
  await expect(page.getByRole('button', { name: 'Back to source' })).toBeVisible();
  expect(await next.boundingBox()).toMatchObject({ x: before?.x, y: before?.y });
  const held = Promise.withResolvers<void>();
  await page.route('**/v1/pipelines/preview', async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.getByRole('textbox', { name: /^Message/ }).fill('{"t": 1}');
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  const result = page.getByText('Nothing was stored or acknowledged.');
  await expect(result).toBeInViewport();
  held.resolve();
  await expect(page.getByRole('region', { name: 'Fields' })).toBeVisible();
  await expect(result, 'a preview that loads later does not move it out of view').toBeInViewport();
  // It may still scroll into view.
  await expect(async () => {
    const resultBox = await result.boundingBox();
    const footerTop = (await next.boundingBox())?.y ?? 0;
    expect((resultBox?.y ?? Infinity) + (resultBox?.height ?? 0)).toBeLessThanOrEqual(footerTop);
  }).toPass();
  await openStep(page, 'Review');
  const createBox = await page.getByRole('button', { name: 'Create pipeline' }).boundingBox();
  expect(createBox?.x, 'a second click on Next creates nothing').toBeGreaterThan(
    (before?.x ?? 0) + (before?.width ?? 0),
  );
  await page.getByRole('button', { name: 'Create pipeline' }).click();
  const toast = page.getByText('Created In place');
  await expect(toast).toBeVisible();
  const main = await page.getByRole('main').boundingBox();
  const toastBox = await toast.boundingBox();
  expect((toastBox?.x ?? Infinity) + (toastBox?.width ?? 0)).toBeLessThanOrEqual(main?.x ?? 0);
});

test('the list shows long names in full in a window of 1,440 px', async ({ page, service }) => {
  const name = 'Boiler room gateways, building 12, district heating';
  const body = { name, type: 'http', interval: 10, destination: 'telemetry' };
  await callAs(page, 'POST', '/v1/pipelines', body);
  await page.setViewportSize({ width: 1_440, height: 900 });
  await page.goto(`${service.url}/pipelines?q=Boiler`);
  const text = page.getByRole('link', { name }).locator('span');
  await expect(text).toBeVisible();
  const cut = await text.evaluate(({ scrollHeight, clientHeight, scrollWidth, clientWidth }) => ({
    heightPx: scrollHeight - clientHeight,
    widthPx: scrollWidth - clientWidth,
  }));
  expect(cut).toEqual({ heightPx: 0, widthPx: 0 });
  const [row, line] = [await page.getByRole('row', { name }).boundingBox(), await text.boundingBox()];
  expect(line!.height).toBeLessThan(row!.height);
});

test('while a pipeline loads, its panels have their places', async ({ page, service }) => {
  const { id } = await callAs<Pipeline>(page, 'POST', '/v1/pipelines', {
    name: 'Slow to load',
    type: 'http',
    interval: 10,
    destination: 'telemetry',
  });
  const release = Promise.withResolvers<void>();
  await page.route(`**/v1/pipelines/${id}`, async (route) => {
    await release.promise;
    await route.continue();
  });
  await page.goto(`${service.url}/pipelines/${id}`);
  // The first is below the heading.
  const skeletons = page.getByRole('main').locator('div:has(> .animate-pulse)');
  await expect(skeletons).toHaveCount(5);
  const [ledger, throughput, rejections] = [
    await skeletons.nth(1).boundingBox(),
    await skeletons.nth(2).boundingBox(),
    await skeletons.nth(3).boundingBox(),
  ];
  release.resolve();
  const panel = (name: string) => page.getByRole('region', { name, exact: true });
  await expect(panel('Ledger')).toBeVisible();
  expect(await panel('Ledger').boundingBox()).toEqual(ledger);
  expect(await panel('Samples per second').boundingBox()).toEqual(throughput);
  expect(await panel('Rejections').boundingBox()).toMatchObject({
    x: rejections?.x,
    y: rejections?.y,
    width: rejections?.width,
  });
});

test('the buttons of a long dialog are visible in small windows, above content that scrolls as one', async ({
  page,
  service,
}) => {
  const { id } = await callAs<Pipeline>(page, 'POST', '/v1/pipelines', {
    name: 'Many reasons',
    type: 'http',
    interval: 10,
    destination: 'telemetry',
  });
  const send = (message: unknown) =>
    callAs(page, 'POST', `/v1/pipelines/${id}/messages?device=long-1`, message);
  for (const message of [
    'no message',
    { device: 'long-1', values: { 'bad name': 1 } },
    { temperature: null },
  ])
    await send(message);
  await page.goto(`${service.url}/pipelines/${id}`);
  await page.getByRole('button', { name: 'Replay all…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('Tested 3 messages.');
  const countScrolling = () =>
    dialog.evaluate(
      (element) =>
        [...element.querySelectorAll('*')].filter(
          (part) => getComputedStyle(part).overflowY === 'auto' && part.scrollHeight > part.clientHeight,
        ).length,
    );
  for (const [width, height] of [
    [1_440, 500],
    [360, 640],
    [640, 320],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const name of ['Cancel', 'Fix and replay', 'Replay anyway'])
      await expect(dialog.getByText(name, { exact: true })).toBeInViewport({ ratio: 1 });
    expect(await countScrolling()).toBe(1);
  }
});

test('at most three toasts are shown, and each can be undone', async ({ page, service }) => {
  const names = [1, 2, 3, 4].map((n) => `Toasted ${n}`);
  for (const name of names)
    await callAs(page, 'POST', '/v1/pipelines', {
      name,
      type: 'http',
      interval: 10,
      destination: 'telemetry',
    });
  await page.goto(`${service.url}/pipelines?q=Toasted`);
  for (const name of names) {
    await page.getByRole('button', { name: `Pause ${name}` }).click();
    await expect(page.getByText(`Paused ${name}`)).toBeVisible();
  }
  // At once, since every toast disappears later.
  expect(await page.getByText('Paused Toasted 1').isVisible()).toBe(false);
  await page.getByText('Paused Toasted 2').locator('../..').getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('row').filter({ hasText: 'Toasted 2' })).toContainText('Running');
});

test('an unknown type makes a draft with a problem', async ({ page, service, expectAccessible }) => {
  const { id } = await callAs<Pipeline>(page, 'POST', '/v1/pipelines', {
    name: 'From elsewhere',
    type: 'sensor_stream',
    interval: 60,
    destination: 'timeseries_db',
  });
  await page.goto(`${service.url}/pipelines/${id}`);
  await expect(page.getByText('Draft').first()).toBeVisible();
  await expect(page.getByText(/Unknown type: sensor_stream/)).toBeVisible();
  await expect(page.getByText(/no destination timeseries_db/)).toBeVisible();
  await expectAccessible(page);
});

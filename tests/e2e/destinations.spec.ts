import { Webhook } from 'standardwebhooks';
import { expect } from './journey.ts';
import { test } from './receiver-journey.ts';
import { openStep } from './open-step.ts';
import { callAs } from './service-api.ts';

test('a destination is added and tested, receives all samples of a pipeline through an outage, and is not deleted while in use', async ({
  page,
  service,
  receiver,
  expectAccessible,
}) => {
  await page.goto(`${service.url}/settings/destinations`);
  await expect(page.getByText('No external destinations yet')).toBeVisible();
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Add the first destination' }).click();
  const form = page.getByRole('dialog', { name: 'Add destination' });
  await form.getByRole('textbox', { name: 'Name' }).fill('Data lake');
  await form.getByRole('radio', { name: /^Webhook/ }).check();
  await form.getByRole('button', { name: 'Add destination' }).click();
  await expect(form.getByText('Must not be empty.')).toBeVisible();
  await expectAccessible(page);
  await form.getByRole('textbox', { name: 'Address' }).fill(receiver.url);
  await form.getByRole('button', { name: 'Add destination' }).click();

  const created = page.getByRole('dialog', { name: 'Created Data lake' });
  const secret = await created.getByText(/^whsec_.+/).innerText();
  expect(() => new Webhook(secret)).not.toThrow();
  await expectAccessible(page);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await created.getByRole('button', { name: 'Copy secret' }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
  await created.getByRole('button', { name: 'Done' }).click();

  const drawer = page.getByRole('dialog', { name: 'Data lake', exact: true });
  await drawer.getByRole('button', { name: 'Test' }).click();
  await expect(drawer.getByText('Test passed')).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByRole('row').filter({ hasText: 'Data lake' })).toContainText('Not used yet');
  await expectAccessible(page);

  await page.goto(`${service.url}/pipelines/new`);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Hall 3');
  await page.getByRole('radio', { name: /^HTTP/ }).click();
  await openStep(page, 'Destination');
  await page.getByRole('combobox', { name: 'Destination' }).click();
  await page.getByRole('option', { name: /^Data lake/ }).press('Enter');
  await page.getByRole('textbox', { name: 'Maximum delay' }).fill('1');
  await page.getByRole('button', { name: 'Test' }).click();
  await expect(page.getByText(/^Source and destination passed\./)).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: 'Destination, passed' })).toBeVisible();
  await expectAccessible(page);
  await openStep(page, 'Review');
  await page.getByRole('button', { name: 'Create pipeline' }).click();
  await expect(page.getByRole('heading', { name: 'Hall 3', level: 1 })).toBeVisible();
  await expectAccessible(page);

  const id = /pip_\w+/.exec(page.url())?.[0] ?? '';
  const send = (values: Record<string, number>) =>
    callAs(page, 'POST', `/v1/pipelines/${id}/messages?device=hall-3`, values);
  await send({ temperature: 21.5, humidity: 40 });
  await expect(page.getByText('received 2 = delivered 2 + pending 0 + rejected 0').first()).toBeVisible();
  const call = receiver.received.at(-1);
  const delivered = new Webhook(secret).verify(call?.text ?? '', call?.headers as Record<string, string>);
  expect(delivered).toMatchObject({ samples: [{ device: 'hall-3', values: { temperature: 21.5 } }] });

  receiver.react = 503;
  await send({ temperature: 22 });
  const waiting = page.getByRole('region', { name: 'Waiting for Data lake' });
  await expect(waiting).toContainText('Not draining');
  await expect(page.getByRole('region', { name: 'State', exact: true })).toContainText(
    /Data lake does not accept samples/,
  );
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Show destination' }).click();
  await expect(drawer.getByText('Retrying')).toBeVisible();
  await expectAccessible(page);
  receiver.react = 204;
  await drawer.getByRole('button', { name: 'Test' }).click();
  await expect(drawer.getByText('Healthy')).toBeVisible();
  await page.goto(`${service.url}/pipelines/${id}`);
  await expect(page.getByText('received 3 = delivered 3 + pending 0 + rejected 0').first()).toBeVisible();
  await expect(waiting).toContainText('0 bytes');

  await page.getByRole('link', { name: 'Data lake' }).click();
  await drawer.getByRole('button', { name: 'Delete…' }).click();
  const used = page.getByRole('dialog', { name: 'Data lake is in use' });
  await expect(used.getByRole('link', { name: 'Hall 3' })).toBeVisible();
  await expectAccessible(page);
  await used.getByRole('link', { name: 'Show pipelines' }).click();
  await expect(page.getByRole('row').filter({ hasText: 'Hall 3' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Remove filter Destination Data lake' })).toBeVisible();
  await expectAccessible(page);
});

test('a destination is added from the pipeline form on a phone, and a failed test shows the reason', async ({
  page,
  service,
  expectAccessible,
}) => {
  const sideways = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await callAs(page, 'POST', '/v1/destinations', {
    name: 'The database of somebody with a long name',
    type: 'postgres',
    url: 'postgres://127.0.0.1:9/with_a_name_that_goes_on_and_on_and_on_and_on',
    options: { username: 'penstock' },
  });
  await page.setViewportSize({ width: 360, height: 780 });
  await page.goto(`${service.url}/settings/destinations`);
  await expect(page.getByRole('link', { name: /^The database/ })).toBeVisible();
  expect(await sideways()).toBeLessThanOrEqual(0);
  await expectAccessible(page);
  await page.getByRole('button', { name: /^Actions for The database/ }).click();
  await page.getByRole('menuitem', { name: 'Test' }).click();
  await expect(page.getByRole('dialog').getByText('Test failed')).toBeVisible();
  await expectAccessible(page);

  await page.goto(`${service.url}/pipelines/new`);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Hall 4');
  await page.getByRole('radio', { name: /^HTTP/ }).click();
  await openStep(page, 'Destination');
  await page.getByRole('button', { name: 'Add destination…' }).click();
  const form = page.getByRole('dialog', { name: 'Add destination' });
  await form.getByRole('textbox', { name: 'Name' }).fill('Archive');
  await form.getByRole('radio', { name: /^Files/ }).click();
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Add destination' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByRole('combobox', { name: 'Destination' })).toHaveText('Archive');
  await expect(page.getByRole('button', { name: 'Add destination…' }), 'the focus returns').toBeFocused();
  expect(await sideways()).toBeLessThanOrEqual(0);
  await openStep(page, 'Review');
  await page.getByRole('button', { name: 'Create pipeline' }).click();
  await expect(page.getByRole('heading', { name: 'Hall 4', level: 1 })).toBeVisible();
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from './journey.ts';
import { test } from './receiver-journey.ts';
import { callAs, callWith } from './service-api.ts';
import { tabTo } from './tab-to.ts';

type Created = { id: string; secret: string };

test('three faults are found on Overview and fixed on the pages it leads to', async ({ page, service }) => {
  const create = (path: string, body: unknown) => callAs<Created>(page, 'POST', path, body);
  let path = '/readings';
  const target = createServer((request, response) => {
    const isFound = request.url === path;
    response.writeHead(isFound ? 200 : 404).end(isFound ? '{"device":"cold-1","values":{"temp":4}}' : '');
  });
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
  try {
    const pipeline = { interval: 1, destination: 'telemetry' };
    await create('/v1/pipelines', {
      ...pipeline,
      name: 'Cold rooms',
      type: 'http-poll',
      config: { url: url + path },
    });
    const { id } = await create('/v1/pipelines', { ...pipeline, name: 'Meters', type: 'http' });
    const key = await create('/v1/api-keys', { name: 'Gateway 4', scopes: ['telemetry:write'] });
    await page.goto(service.url);
    const attention = page.getByRole('region', { name: 'Needs attention' });
    await expect(attention).toBeVisible();

    await test.step('a polled address has changed', async () => {
      path = '/v2/readings';
      await attention.getByRole('link', { name: 'Cold rooms' }).click();
      await expect(page.getByText(/there is no resource at this URL/).first()).toBeVisible();
      await page.getByRole('link', { name: 'Edit' }).first().click();
      await page.getByRole('textbox', { name: 'Address' }).fill(url + path);
      await page.getByRole('button', { name: 'Test' }).click();
      await expect(page.getByText('Test passed')).toBeVisible();
      await page.getByRole('button', { name: 'Save' }).click();
      await expect(page.getByRole('heading', { name: 'Cold rooms', level: 1 })).toBeVisible();
      await expect(page.getByText('Running').first()).toBeVisible();
    });

    await test.step('the clock of a device is two hours ahead', async () => {
      const ahead = { device: 'meter-1', power: 420, ts: Date.now() + 7_200_000 };
      await callAs(page, 'POST', `/v1/pipelines/${id}/messages`, ahead);
      await page.getByRole('link', { name: 'Overview' }).first().click();
      await attention.getByRole('link', { name: 'Meters' }).click();
      await page.getByRole('link', { name: 'Fix and replay' }).click();
      await page.getByRole('combobox', { name: 'Role of ts' }).click();
      await page.getByRole('option', { name: 'Left out' }).press('Enter');
      await expect(page.getByText('1 of 1 rejected message passes')).toBeVisible();
      await page.getByRole('button', { name: 'Save and replay' }).click();
      await expect(page.getByText('No rejections')).toBeVisible();
    });

    await test.step('a key was revoked while a client uses it, fixed by keyboard', async () => {
      const write = async (token: string) => {
        const body = { samples: [{ device: 'pump-1', values: { flow: 12 } }] };
        return (await callWith<{ status: number }>(service.url, token, 'POST', '/v1/telemetry', body)).status;
      };
      expect(await write(key.secret)).toBe(200);
      await callAs(page, 'DELETE', `/v1/api-keys/${key.id}`);
      expect(await write(key.secret)).toBe(401);
      await page.keyboard.press('g');
      await page.keyboard.press('o');
      await tabTo(attention.getByRole('link', { name: 'Gateway 4' }));
      await page.keyboard.press('Enter');
      await tabTo(page.getByRole('link', { name: 'Create key' }));
      await page.keyboard.press('Enter');
      const drawer = page.getByRole('dialog', { name: 'Create API key' });
      await expect(drawer.getByRole('textbox', { name: 'Name' })).toBeFocused();
      await expect(drawer.getByRole('textbox', { name: 'Name' })).toHaveValue('Gateway 4');
      await page.keyboard.press('Enter');
      const created = page.getByRole('dialog', { name: 'Created Gateway 4' });
      const secret = await created.getByText(/^pen_key_/).innerText();
      expect(await write(secret)).toBe(200);
    });
  } finally {
    target.close();
    target.closeAllConnections();
  }
});

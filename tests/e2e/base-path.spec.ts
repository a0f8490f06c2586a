import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test, type Page } from '@playwright/test';
import { startRunningService, type RunningService } from './running-service.ts';

const PATH = '/iot/penstock';

/** A reverse proxy that forwards one path, and keeps or strips it. */
const startProxy = async (keepsPath: boolean) => {
  let target = '';
  const server = createServer((incoming, answer) => {
    const path = incoming.url ?? '';
    if (!path.startsWith(`${PATH}/`) && path !== PATH) return answer.writeHead(404).end('another program');
    const url = new URL(keepsPath ? path : path.slice(PATH.length) || '/', target);
    const { method, headers } = incoming;
    const call = request(url, { method: method ?? 'GET', headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    call.on('error', () => answer.destroy());
    answer.on('close', () => call.destroy());
    incoming.pipe(call);
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`,
    forwardTo: (url: string) => {
      target = url;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

/** Collects failed requests, and errors and warnings of the console. */
const collectErrors = (page: Page): string[] => {
  const errors: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('response', (response) => {
    if (response.status() >= 400) errors.push(`${response.status()} ${response.url()}`);
  });
  return errors;
};

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });

for (const keepsPath of [true, false])
  test.describe(`behind a proxy that ${keepsPath ? 'keeps the path' : 'strips the path'}`, () => {
    let proxy: Awaited<ReturnType<typeof startProxy>>;
    let service: RunningService;
    test.beforeAll(async () => {
      proxy = await startProxy(keepsPath);
      service = await startRunningService({ SEED: 'none', BASE_URL: proxy.base });
      proxy.forwardTo(service.url);
    });
    test.afterAll(async () => {
      await service.remove();
      proxy.close();
    });

    test('the link signs in, pages load their parts, and a deep link opens after a reload', async ({
      page,
    }) => {
      const errors = collectErrors(page);
      const link = await service.newSigninLink();
      expect(link).toContain(`${proxy.base}/#signin=`);
      await page.goto(link);
      await expect(heading(page, 'Overview')).toBeVisible();
      await expect(page).toHaveURL(`${proxy.base}/`);
      await expect(page.getByText('Live', { exact: true })).toBeVisible();

      await page.getByRole('link', { name: 'Devices', exact: true }).first().click();
      await expect(page).toHaveURL(`${proxy.base}/devices`);
      await page.getByRole('button', { name: 'Register device' }).first().click();
      await page.getByLabel('Name', { exact: true }).fill('Boiler 7');
      await page.keyboard.press('Enter');
      await expect(page.getByText('Boiler 7').first()).toBeVisible();

      for (const [path, name] of [
        ['/pipelines/new', 'New pipeline'],
        ['/telemetry', 'Telemetry'],
        ['/activity', 'Activity'],
        ['/settings/api', 'API'],
        ['/settings/about', 'About'],
        ['/devices', 'Devices'],
      ] as const) {
        await page.goto(`${proxy.base}${path}`);
        await expect(heading(page, name)).toBeVisible();
        await expect(page).toHaveURL(`${proxy.base}${path}`);
      }
      await page.reload();
      await expect(page.getByText('Boiler 7').first()).toBeVisible();

      const loaded = await page.evaluate(async () => {
        await document.fonts.ready;
        const manifest = document.querySelector<HTMLLinkElement>('link[rel=manifest]')!.href;
        const { start_url, icons } = (await (await fetch(manifest)).json()) as {
          start_url: string;
          icons: { src: string }[];
        };
        const all = [start_url, ...icons.map(({ src }) => src)].map((each) => new URL(each, manifest).href);
        const statuses = await Promise.all(all.map(async (each) => (await fetch(each)).status));
        return {
          fonts: [...document.fonts].filter(({ status }) => status === 'loaded').length,
          all,
          statuses,
        };
      });
      expect(loaded.fonts).toBeGreaterThan(0);
      expect(loaded.all).toEqual([
        `${proxy.base}/`,
        `${proxy.base}/mark.svg`,
        `${proxy.base}/mark-maskable.svg`,
      ]);
      expect(loaded.statuses).toEqual([200, 200, 200]);
      expect(errors).toEqual([]);
    });
  });

import { act, render, screen, within } from '@testing-library/react';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endpoints } from '#contract/endpoints.ts';
import { isDescribed } from '#dashboard/api/describe-failed-change.ts';
import { ToastViewport } from '#dashboard/ui/feedback/toast-viewport.tsx';
import { showToast } from '#dashboard/ui/feedback/toast.ts';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { openPage } from './open-page.tsx';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** Changes that the dashboard does not offer, or whose failures have pages of their own. */
const NOT_OFFERED = new Set([
  'POST /v1/sessions',
  'DELETE /v1/session',
  'PUT /v1/devices/by-external-id/{externalId}',
  'POST /v1/telemetry',
  'POST /write',
  'POST /api/v2/write',
  'POST /api/v1/write',
  'POST /otlp/v1/metrics',
  'POST /v1/pipelines/{id}/messages',
]);

test('every change that the dashboard makes has a sentence for its failure', () => {
  const changes = endpoints
    .filter(({ method, safe }) => method !== 'GET' && safe !== true)
    .map(({ method, path }) => `${method} ${path}`);
  expect(changes.filter((change) => !isDescribed(change) && !NOT_OFFERED.has(change))).toEqual([]);
});

test('a device that could not be registered is named as such, and the form keeps what was typed', async () => {
  const { user } = openPage(service, '/devices?register=new');
  await user.type(await screen.findByRole('textbox', { name: 'Name' }), 'Boiler 7');
  await service.restart(async () => {
    await user.click(screen.getByRole('button', { name: 'Register' }));
    expect((await screen.findByRole('alert')).textContent).toBe(
      'The device was not registered. The service cannot be reached. Your input is kept.',
    );
  });
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' }).value).toBe('Boiler 7');
});

test('the toast of a failure is announced once, and screen readers find its button', async () => {
  render(<ToastViewport />);
  act(() => showToast({ title: 'Could not pause Gateway', tone: 'bad' }));
  const toast = await screen.findByRole('alertdialog', { name: 'Could not pause Gateway' });
  within(toast).getByRole('button', { name: 'Dismiss' });
  expect(screen.getAllByRole('alert').map(({ textContent }) => textContent)).toEqual([
    'Could not pause Gateway',
  ]);
  expect(toast.closest('[aria-live]')?.getAttribute('aria-live')).toBe('off');
});

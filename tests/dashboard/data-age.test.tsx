import { screen } from '@testing-library/react';
import { afterAll, beforeAll, onTestFinished, test, vi } from 'vitest';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { openPage } from './open-page.tsx';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test('a page whose stream never opened shows how old its data is', async () => {
  const { fetch } = globalThis;
  const request = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    if (input instanceof URL && input.pathname === '/v1/stream') throw new TypeError('Failed to fetch');
    return fetch(input, init);
  });
  onTestFinished(() => request.mockRestore());
  openPage(service, '/devices');
  await screen.findByRole('button', { name: /^Connection: offline, data is \d+ s old$/ });
});

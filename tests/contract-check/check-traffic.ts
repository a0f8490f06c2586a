// Runs in every test file: what the services of a test answered is held against the document once the test is over.
import { afterEach, inject } from 'vitest';
import { createExchangeCheck } from './check-exchange.ts';
import { recordTraffic, type Exchange } from './record-traffic.ts';

const exchanges: Exchange[] = [];
recordTraffic((exchange) => exchanges.push(exchange));

let check: ReturnType<typeof createExchangeCheck> | undefined;
afterEach(() => {
  if (exchanges.length === 0) return;
  check ??= createExchangeCheck(inject('apiDocument'));
  const breaches = [...new Set(exchanges.splice(0).flatMap(check))];
  if (breaches.length > 0)
    throw new Error(`The service and its document disagree:\n${breaches.slice(0, 10).join('\n')}`);
});

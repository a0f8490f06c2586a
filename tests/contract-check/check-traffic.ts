// Runs in every test file: validates the responses of the services against the document after each test.
import { afterAll, afterEach } from 'vitest';
import { checkExchange } from './document-check.ts';
import { recordTraffic, type Exchange } from './record-traffic.ts';

const exchanges: Exchange[] = [];
afterAll(recordTraffic((exchange) => exchanges.push(exchange)));

afterEach(() => {
  if (exchanges.length === 0) return;
  const breaches = [...new Set(exchanges.splice(0).flatMap(checkExchange))];
  if (breaches.length > 0)
    throw new Error(`The service and its document disagree:\n${breaches.slice(0, 10).join('\n')}`);
});

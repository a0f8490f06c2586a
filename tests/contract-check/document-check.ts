import { inject } from 'vitest';
import { createExchangeCheck } from './check-exchange.ts';
import type { Exchange } from './record-traffic.ts';

let check: ReturnType<typeof createExchangeCheck> | undefined;

/** Checks an exchange against the API document. The test files of a worker share the compiled schemas. */
export const checkExchange = (exchange: Exchange): string[] =>
  (check ??= createExchangeCheck(inject('apiDocument')))(exchange);

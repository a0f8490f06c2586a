import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ClientLedgers, ClientOrder } from './client-process.ts';

/** A client in a process of its own, which sends until it is stopped. */
export const startClient = (order: ClientOrder) => {
  const child = fork(join(import.meta.dirname, 'client-process.ts'), {
    execArgv: [],
    env: { PATH: process.env['PATH'] },
  });
  const ended = new AbortController();
  child.once('exit', (code) => ended.abort(new Error(`The client ended with ${code}.`)));
  child.send(order);
  return {
    /** Resolves once all that was sent is acknowledged or given up. */
    stop: async (): Promise<ClientLedgers> => {
      child.send('stop');
      const [ledgers] = (await once(child, 'message', { signal: ended.signal })) as [ClientLedgers];
      return ledgers;
    },
    kill: () => void child.kill('SIGKILL'),
  };
};

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { programEnv } from '#tests/service/program-env.ts';
import type { ClientLedgers, ClientOrder, ClientTargets } from './client-process.ts';

/** Starts a client in a separate process, which sends until it is stopped. */
export const startClient = (to: ClientTargets) => {
  const child = fork(join(import.meta.dirname, 'client-process.ts'), {
    execArgv: [],
    env: programEnv,
  });
  const ended = new AbortController();
  child.once('exit', (code) => ended.abort(new Error(`The client ended with ${code}.`)));
  child.on('error', (error) => ended.abort(error));
  const give = (order: ClientOrder) => {
    ended.signal.throwIfAborted();
    child.send(order);
  };
  give({ order: 'send', to });
  return {
    /** Kills a process after the given number of further responses. */
    killAtAnswer: (pid: number, answers: number) => give({ order: 'kill', pid, answers }),
    /** Resolves when all sent samples are acknowledged or given up. */
    stop: async (): Promise<ClientLedgers> => {
      give({ order: 'stop' });
      const [ledgers] = (await once(child, 'message', { signal: ended.signal })) as [ClientLedgers];
      return ledgers;
    },
    kill: () => void child.kill('SIGKILL'),
  };
};

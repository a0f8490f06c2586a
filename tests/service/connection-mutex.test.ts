import { expect, test } from 'vitest';
import { ConnectionMutex } from '#service/platform/storage/dialects/connection-mutex.ts';

const kinds = { t: 'transaction', s: 'statement' } as const;

/** Queues holders such as `t1` and `s1` behind a first one. Returns the order in which they hold the mutex. */
const orderOf = async (first: keyof typeof kinds, queued: string, arrivals: Record<string, string> = {}) => {
  const mutex = new ConnectionMutex();
  const order: string[] = [];
  const tasks: Promise<void>[] = [];
  const hold = async (name: string) => {
    await mutex.acquire(kinds[name.charAt(0) as keyof typeof kinds]);
    order.push(name);
    for (const arriving of arrivals[name]?.split(' ') ?? []) tasks.push(hold(arriving));
    mutex.release();
  };
  await mutex.acquire(kinds[first]);
  for (const name of queued.split(' ')) tasks.push(hold(name));
  mutex.release();
  for (let done = 0; done < tasks.length; done += 1) await tasks[done];
  return order.join(' ');
};

test('statements that waited for a transaction go before the next transaction', async () => {
  expect(await orderOf('t', 't1 t2 s1 s2')).toBe('s1 s2 t1 t2');
});

test('a statement that arrives later waits for one transaction, not for all that are queued', async () => {
  expect(await orderOf('t', 't1 t2 t3', { t1: 's1' })).toBe('t1 s1 t2 t3');
});

test('a transaction waits only for the statements that waited before it', async () => {
  expect(await orderOf('t', 't1 s1', { s1: 's2 s3' })).toBe('s1 t1 s2 s3');
  expect(await orderOf('s', 't1 s1')).toBe('t1 s1');
  expect(await orderOf('s', 's1 t1 t2 s2')).toBe('s1 t1 s2 t2');
});

test('holders of one kind go in the order of their arrival', async () => {
  expect(await orderOf('s', 's1 s2 s3')).toBe('s1 s2 s3');
  expect(await orderOf('t', 't1 t2 t3')).toBe('t1 t2 t3');
});

test('a long queue leaves turns of the event loop to other work', async () => {
  const mutex = new ConnectionMutex();
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const work = async () => {
    await mutex.acquire('statement');
    const until = performance.now() + 2;
    while (performance.now() < until);
    mutex.release();
  };
  await Promise.all(Array.from({ length: 50 }, work));
  isDone = true;
  expect(turns).toBeGreaterThan(5);
});

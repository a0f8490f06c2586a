import { expect, test } from 'vitest';
import { actorGroupOf } from '#service/platform/http/auth.ts';
import { createWorkQueue } from '#service/platform/http/work-queue.ts';

/** Starts tasks that end one after another. Returns the order in which they ended, and those that were rejected. */
const runAll = async (groups: string) => {
  const run = createWorkQueue({ maxRunning: 1, maxWaiting: 4, tasks: 'counts' });
  const ended: string[] = [];
  const tasks = groups.split('').map((group, index) =>
    run(async () => {
      await new Promise((resolve) => void setImmediate(resolve));
      ended.push(`${group}${index}`);
    }, group),
  );
  const results = await Promise.allSettled(tasks);
  const rejected = results.flatMap((result, index) => (result.status === 'rejected' ? index : []));
  return { ended: ended.join(' '), rejected };
};

test('groups take turns, in the order of their first task', async () => {
  expect(await runAll('aaabc')).toEqual({ ended: 'a0 a1 b3 c4 a2', rejected: [] });
});

test('the group with the most waiting tasks gives way to others', async () => {
  expect(await runAll('aaaaab')).toEqual({ ended: 'a0 a1 b5 a2 a3', rejected: [4] });
});

test('a task is rejected if no group has more that wait', async () => {
  expect(await runAll('aaaaaa')).toEqual({ ended: 'a0 a1 a2 a3 a4', rejected: [5] });
  expect(await runAll('aaabbb')).toEqual({ ended: 'a0 a1 b3 a2 b4', rejected: [5] });
  expect(await runAll('abcdea')).toEqual({ ended: 'a0 b1 c2 d3 e4', rejected: [5] });
});

test('two tasks run at a time, and one that fails passes its place on', async () => {
  const run = createWorkQueue({ maxRunning: 2, maxWaiting: 4, tasks: 'counts' });
  let [running, most] = [0, 0];
  const task = async (fails: boolean) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => void setImmediate(resolve));
    running -= 1;
    if (fails) throw new Error('A count failed.');
  };
  for (let round = 0; round < 2; round += 1) {
    const results = await Promise.allSettled(
      [true, false, true, false, false].map((fails) => run(() => task(fails))),
    );
    const failed = results.map(({ status }) => status === 'rejected');
    expect(failed).toEqual([true, false, true, false, false]);
  }
  expect([most, running]).toEqual([2, 0]);
});

test('a key and its sessions are one group, and so are all sessions of operators', () => {
  const actor = { name: '', label: null, scopes: [], devices: null, expiresAt: null, keysExpireBy: null };
  const key = { id: 'key_1', name: 'Wall screen' };
  const groups = [
    actorGroupOf({ ...actor, kind: 'key', id: 'key_1', key: null }),
    actorGroupOf({ ...actor, kind: 'session', id: 'ses_1', key }),
    actorGroupOf({ ...actor, kind: 'session', id: 'ses_2', key }),
    actorGroupOf({ ...actor, kind: 'session', id: 'ses_3', key: null }),
    actorGroupOf({ ...actor, kind: 'session', id: 'ses_4', key: null }),
  ];
  expect(groups).toEqual(['key_1', 'key_1', 'key_1', 'operator', 'operator']);
});

import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { startTestService } from './start-test-service.ts';

const [NORMAL, FULL] = [1, 2];

it('a change of state is synced to the disk, and a later last-seen time is not', async () => {
  let clockMs = Date.now();
  const test = await startTestService({ now: () => clockMs });
  onTestFinished(() => test.close());
  const { db, presence } = test.service.parts;
  const write = async () => {
    const samples = [{ device: 'pump', values: { flow: 1 } }];
    await test.request('POST', '/v1/telemetry', { body: { samples } });
    await presence.flush();
  };
  await sql`create table synced (synchronous)`.execute(db);
  await sql`create trigger seen after update of last_seen_at on device when new.external_id = 'pump'
    begin insert into synced select synchronous from pragma_synchronous; end`.execute(db);
  await write();
  clockMs += 1_000;
  await write();
  expect((await sql`select synchronous from synced`.execute(db)).rows).toEqual([
    { synchronous: FULL },
    { synchronous: NORMAL },
  ]);
});

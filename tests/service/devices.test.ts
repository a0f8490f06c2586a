import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Device } from '#contract/devices.ts';
import { purgeDeletedDevices } from '#service/devices/device-purge.ts';
import { insertDevices, newDeviceRow } from '#service/devices/device-store.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let test: TestService;
let clockMs = Date.now();
beforeAll(async () => {
  test = await startTestService({ now: () => clockMs });
});
afterAll(() => test.close());
beforeEach(async () => {
  await test.service.parts.db.deleteFrom('device').execute();
});

const create = async (body: Record<string, unknown>): Promise<Device> =>
  (await test.request('POST', '/v1/devices', { body })).body;
const list = async (query = ''): Promise<{ data: Device[]; nextCursor: string | null; total?: number }> =>
  (await test.request('GET', `/v1/devices${query}`)).body;
const names = async (query: string) => (await list(query)).data.map(({ name }) => name);

describe('registering a device', () => {
  it('returns 201 with the location of the device', async () => {
    const { status, body, headers } = await test.request('POST', '/v1/devices', {
      body: { name: 'Boiler 7', tags: { site: 'north' }, expectedInterval: 10 },
    });
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`/v1/devices/${body.id}`);
    expect(body).toMatchObject({ externalId: 'boiler-7', state: 'never-seen', lastSeenAt: null });
    const read = await test.request('GET', `/v1/devices/${body.id}`);
    expect(read.body).toEqual(body);
    expect(read.headers.get('etag')).toBe(headers.get('etag'));
  });

  it('numbers a slug that is in use', async () => {
    await create({ name: 'Boiler' });
    expect((await create({ name: 'BOILER' })).externalId).toBe('boiler-2');
  });

  it('rejects an external ID that is in use, at its field, and names the device', async () => {
    const { id } = await create({ name: 'One', externalId: 'x-1' });
    const post = () => test.request('POST', '/v1/devices', { body: { name: 'Two', externalId: 'x-1' } });
    const { status, body } = await post();
    expect([status, body.code]).toEqual([409, 'conflict']);
    const field = { pointer: '/externalId', code: 'taken' };
    expect(body.errors).toEqual([{ ...field, detail: 'Already used by the device “One”.', deviceId: id }]);
    await test.request('DELETE', `/v1/devices/${id}`);
    expect((await post()).body.errors).toEqual([
      { ...field, detail: 'Reserved for 24 hours by the deleted device “One”.' },
    ]);
  });
});

describe('changing a device', () => {
  it('merges: omitted fields stay, a null tag is removed', async () => {
    const { id } = await create({ name: 'Pump', type: 'pump', tags: { site: 'north', line: '4' } });
    const { body } = await test.request('PATCH', `/v1/devices/${id}`, {
      body: { name: 'Pump 2', tags: { line: null, floor: '1' } },
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    expect(body).toMatchObject({ name: 'Pump 2', type: 'pump', tags: { site: 'north', floor: '1' } });
    expect(await names('?tag=line:4')).toEqual([]);
    expect(await names('?tag=floor:1')).toEqual(['Pump 2']);
  });

  it('is rejected if another request changed the device meanwhile', async () => {
    const { id } = await create({ name: 'Pump' });
    const first = await test.request('GET', `/v1/devices/${id}`);
    const match = { 'if-match': first.headers.get('etag') ?? '' };
    await test.request('PATCH', `/v1/devices/${id}`, { body: { type: 'theirs' }, headers: match });
    const { status, body } = await test.request('PATCH', `/v1/devices/${id}`, {
      body: { type: 'mine' },
      headers: match,
    });
    expect([status, body.code]).toEqual([412, 'precondition-failed']);
    expect((await test.request('GET', `/v1/devices/${id}`)).body.type).toBe('theirs');
  });
});

describe('the notes of a device', () => {
  const eventsOf = async (id: string) =>
    (await test.request('GET', `/v1/events?type=device.updated&subject=${id}`)).body.data;

  it('are kept as typed, up to 4,000 characters, and each change is an event', async () => {
    const { id, notes } = await create({ name: 'Pump' });
    expect(notes).toBe('');
    const text = `Line 1\n\t<b>2</b> – ${'é'.repeat(3_900)}`;
    await test.request('PATCH', `/v1/devices/${id}`, { body: { notes: text } });
    expect((await test.request('GET', `/v1/devices/${id}`)).body.notes).toBe(text);
    expect((await eventsOf(id)).map(({ data }: { data: unknown }) => data)).toEqual([{ fields: ['notes'] }]);
    const { status, body } = await test.request('PATCH', `/v1/devices/${id}`, {
      body: { notes: 'x'.repeat(4_001) },
    });
    expect([status, body.errors[0].pointer]).toEqual([422, '/notes']);
  });

  it('are set by upserts and kept by those without notes', async () => {
    const put = (body: Record<string, unknown>) =>
      test.request('PUT', '/v1/devices/by-external-id/pump-1', { body });
    await put({ notes: 'Replaced in May.' });
    expect((await put({ type: 'pump' })).body).toMatchObject({ notes: 'Replaced in May.', type: 'pump' });
  });
});

describe('a change that changes nothing', () => {
  it('keeps the ETag and records no event, alone and in bulk', async () => {
    const same = { name: 'Pump', type: 'pump', tags: { site: 'north', line: '4' }, expectedInterval: null };
    const { id, externalId } = await create({ ...same, externalId: 'pump-1' });
    const { headers } = await test.request('GET', `/v1/devices/${id}`);
    const change = { type: 'pump', tags: { site: 'north', floor: null } };
    const answers = [
      await test.request('PATCH', `/v1/devices/${id}`, { body: { ...change, externalId } }),
      await test.request('PUT', `/v1/devices/by-external-id/${externalId}`, { body: same }),
    ];
    expect(answers.map((answer) => answer.headers.get('etag'))).toEqual(
      answers.map(() => headers.get('etag')),
    );
    const { body } = await test.request('POST', '/v1/devices/batch', {
      body: { operation: 'update', filter: { type: ['pump'] }, change },
    });
    expect(body.results).toMatchObject([{ id, ok: true, status: 200, isChanged: false }]);
    const { body: events } = await test.request('GET', `/v1/events?subject=${id}`);
    expect(events.data.map(({ type }: { type: string }) => type)).toEqual(['device.registered']);
  });

  it('names in its event only the fields that differ', async () => {
    const { id } = await create({ name: 'Pump', type: 'pump' });
    await test.request('PATCH', `/v1/devices/${id}`, { body: { name: 'Pump', type: 'valve' } });
    const { body } = await test.request('GET', `/v1/events?type=device.updated&subject=${id}`);
    expect(body.data).toMatchObject([{ data: { fields: ['type'] } }]);
  });
});

describe('deleting a device', () => {
  it('hides the device, reserves its external ID, and can be undone completely', async () => {
    const device = await create({ name: 'Pump', tags: { site: 'north' } });
    expect((await test.request('DELETE', `/v1/devices/${device.id}`)).status).toBe(204);
    expect((await test.request('GET', `/v1/devices/${device.id}`)).status).toBe(404);
    expect(await names('')).toEqual([]);
    const again = await test.request('POST', '/v1/devices', {
      body: { name: 'P', externalId: device.externalId },
    });
    expect(again.status).toBe(409);
    const { status, body } = await test.request('POST', `/v1/devices/${device.id}/restore`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'Pump', tags: { site: 'north' } });
  });
});

describe('a deleted device', () => {
  it('cannot be restored after 24 hours, and is then purged with its telemetry', async () => {
    const { id, externalId } = await create({ name: 'Gone' });
    await test.request('POST', '/v1/telemetry', {
      body: { samples: [{ device: externalId, values: { a: 1 } }] },
    });
    await test.request('DELETE', `/v1/devices/${id}`);
    // A key outlives the session, which ends by idling.
    const { secret } = await test.mintKey(['devices:write']);
    clockMs += 86_400_001;
    expect((await test.request('POST', `/v1/devices/${id}/restore`, { token: secret })).status).toBe(404);
    await purgeDeletedDevices(test.service.parts);
    clockMs -= 86_400_001;
    expect(await test.service.parts.telemetry.metrics([id])).toEqual([]);
    expect((await create({ name: 'Gone' })).externalId).toBe(externalId);
  });
});

describe('an external id', () => {
  it('is rejected if it looks like the ID of a device', async () => {
    const { id } = await create({ name: 'Real' });
    for (const answer of [
      await test.request('POST', '/v1/devices', { body: { name: 'Copy', externalId: id } }),
      await test.request('PATCH', `/v1/devices/${id}`, { body: { externalId: id } }),
    ])
      expect([answer.status, answer.body.errors[0].pointer]).toEqual([422, '/externalId']);
    expect((await test.request('PUT', `/v1/devices/by-external-id/${id}`, { body: {} })).status).toBe(404);
  });
});

describe('a device read by its external id', () => {
  const read = (externalId: string, options = {}) =>
    test.request('GET', `/v1/devices/by-external-id/${externalId}`, options);

  it('is the device, with the ETag of its ID', async () => {
    const { id } = await create({ name: 'Boiler', externalId: 'plant:boiler-7' });
    const { status, body, headers } = await read('plant:boiler-7');
    expect([status, body.id, body.name]).toEqual([200, id, 'Boiler']);
    const byId = await test.request('GET', `/v1/devices/${id}`);
    expect(headers.get('etag')).toBe(byId.headers.get('etag'));
  });

  it('is not found if it is unknown, deleted, or another than a key may see', async () => {
    const { id } = await create({ name: 'Boiler', externalId: 'boiler-7' });
    const other = await create({ name: 'Pump', externalId: 'pump-1' });
    const { secret } = await test.mintKey(['devices:read'], { devices: [other.id] });
    expect((await read('boiler-8')).status).toBe(404);
    expect((await read('boiler-7', { token: secret })).status).toBe(404);
    expect((await read('pump-1', { token: secret })).status).toBe(200);
    await test.request('DELETE', `/v1/devices/${id}`);
    expect((await read('boiler-7')).status).toBe(404);
  });
});

describe('putting a device by its external id', () => {
  const put = (externalId: string, body: Record<string, unknown>) =>
    test.request('PUT', `/v1/devices/by-external-id/${externalId}`, { body });

  it('registers it, then changes it, and is idempotent', async () => {
    const first = await put('boiler-7', { name: 'Boiler 7', tags: { site: 'north' } });
    expect([first.status, first.body.externalId]).toEqual([201, 'boiler-7']);
    const second = await put('boiler-7', { type: 'boiler', tags: { line: '4' } });
    expect(second.status).toBe(200);
    expect(second.body).toMatchObject({
      id: first.body.id,
      name: 'Boiler 7',
      type: 'boiler',
      tags: { line: '4' },
    });
  });

  it('restores a deleted device', async () => {
    const { body } = await put('pump', {});
    await test.request('DELETE', `/v1/devices/${body.id}`);
    expect((await put('pump', { name: 'Pump' })).status).toBe(200);
    expect(await names('')).toEqual(['Pump']);
  });
});

describe('a batch', () => {
  const batch = (body: Record<string, unknown>) => test.request('POST', '/v1/devices/batch', { body });
  type Result = {
    index: number;
    ok: boolean;
    status: number;
    isChanged: boolean;
    id: string | null;
    problem: { code: string } | null;
  };

  it('with dryRun returns its results, and changes nothing', async () => {
    await create({ name: 'Boiler', externalId: 'boiler' });
    const before = await list();
    const events = async () => (await test.request('GET', '/v1/events')).body.data.length;
    const eventsBefore = await events();
    const items = [{ externalId: 'new' }, { externalId: 'not valid' }, { externalId: 'boiler', type: 'gas' }];
    const { body } = await batch({ operation: 'upsert', items, dryRun: true });
    expect(body.results.map(({ status }: { status: number }) => status)).toEqual([201, 422, 200]);
    const removal = await batch({ operation: 'delete', filter: {}, dryRun: true });
    expect(removal.body.results).toMatchObject([{ ok: true, status: 204 }]);
    expect(await list()).toEqual(before);
    expect(await events()).toBe(eventsBefore);
  });

  it('says of each item whether it changes a device', async () => {
    const isChanged = async (operation: string, items: Record<string, unknown>[]) => {
      const run = async (dryRun: boolean) =>
        (await batch({ operation, items, dryRun })).body.results.map((result: Result) => result.isChanged);
      const expected = await run(true);
      expect(await run(false), `${operation} and its dry run`).toEqual(expected);
      return expected;
    };
    await create({ name: 'Same', externalId: 'same', tags: { site: 'north' } });
    await create({ name: 'Other', externalId: 'other' });
    const same = { externalId: 'same', name: 'Same', tags: { site: 'north' } };
    const items = [same, { externalId: 'other', name: 'New' }, { externalId: 'new' }, { externalId: 'no!' }];
    expect(await isChanged('upsert', items)).toEqual([false, true, true, false]);
    expect(await isChanged('upsert', items)).toEqual([false, false, false, false]);
    expect(await isChanged('update', [same, { externalId: 'other', type: 'gas' }])).toEqual([false, true]);
    expect(await isChanged('delete', [{ externalId: 'same' }])).toEqual([true]);
    const both = [{ externalId: 'same' }, { externalId: 'other' }];
    expect(await isChanged('restore', both)).toEqual([true, false]);
  });

  it('applies each item like a single request, and a rejected item does not affect the others', async () => {
    const pump = await create({ name: 'Pump', externalId: 'pump' });
    const { status, body } = await batch({
      operation: 'update',
      items: [
        { externalId: 'pump', type: 'big' },
        { externalId: 'nobody', type: 'big' },
        { id: pump.id, colour: 'red' },
        { id: pump.id, tags: { site: 'north' } },
      ],
    });
    expect(status).toBe(200);
    expect(body.results.map((result: Result) => [result.ok, result.status, result.problem?.code])).toEqual([
      [true, 200, undefined],
      [false, 404, 'not-found'],
      [false, 422, 'validation-failed'],
      [true, 200, undefined],
    ]);
    expect((await list()).data[0]).toMatchObject({ type: 'big', tags: { site: 'north' } });
  });

  it('upserts, deletes and restores', async () => {
    const items = [{ externalId: 'a' }, { externalId: 'b', name: 'Bee' }];
    const { body } = await batch({ operation: 'upsert', items });
    expect(body.results.map((result: Result) => result.status)).toEqual([201, 201]);
    await batch({ operation: 'delete', items: [{ externalId: 'a' }, { externalId: 'b' }] });
    expect(await names('')).toEqual([]);
    await batch({ operation: 'restore', items: [{ externalId: 'b' }] });
    expect(await names('')).toEqual(['Bee']);
  });

  it('changes all devices that match a filter, a thousand per request or as few as asked for', async () => {
    const rows = Array.from({ length: 1_001 }, (_, number) =>
      newDeviceRow({ name: `Old ${number}`, type: 'old' }, `device-${number}`, clockMs),
    );
    await insertDevices(test.service.parts.db, rows);
    await create({ name: 'Other' });
    const change = { operation: 'update', filter: { type: ['old'] }, change: { tags: { site: 'north' } } };
    const first = (await batch(change)).body;
    expect(first.results).toHaveLength(1_000);
    const second = (await batch({ ...change, cursor: first.nextCursor })).body;
    expect([second.results.length, second.nextCursor]).toEqual([1, null]);
    const few = (await batch({ ...change, limit: 2 })).body;
    expect(few.results).toHaveLength(2);
    // Requests of a walk may differ in size.
    const rest = (await batch({ ...change, limit: 999, cursor: few.nextCursor })).body;
    expect([rest.results.length, rest.nextCursor]).toEqual([999, null]);
    expect((await list('?tag=site:north&total=true&limit=1')).total).toBe(1_001);
  });

  it('leaves the exceptions of a filter as they are', async () => {
    const kept = await create({ name: 'Kept', type: 'old' });
    await create({ name: 'Changed', type: 'old' });
    const { body } = await batch({
      operation: 'update',
      filter: { type: ['old'] },
      except: [kept.id],
      change: { type: 'new' },
    });
    expect(body.results.map(({ index, name }: { index: number; name: string }) => [index, name])).toEqual([
      [0, 'Changed'],
    ]);
    expect(await names('?type=old')).toEqual(['Kept']);
  });

  it('names the device of each rejected item and of each rejected change', async () => {
    const tags = Object.fromEntries(Array.from({ length: 50 }, (_, number) => [`tag-${number}`, 'x']));
    const full = await create({ name: 'Full', tags });
    const gone = await create({ name: 'Gone' });
    await test.request('DELETE', `/v1/devices/${gone.id}`);
    const change = { tags: { 'one-more': 'x' } };
    const named = ({ body }: Awaited<ReturnType<typeof batch>>) =>
      body.results.map(({ id, name, ok }: { id: string; name: string; ok: boolean }) => [id, name, ok]);
    const rejected = [full.id, 'Full', false];
    expect(named(await batch({ operation: 'update', filter: {}, change }))).toEqual([rejected]);
    const items = [{ id: full.id, ...change }, { id: gone.id }, { externalId: 'nobody' }];
    expect(named(await batch({ operation: 'update', items }))).toEqual([
      rejected,
      [gone.id, 'Gone', false],
      [null, null, false],
    ]);
  });

  it.each([
    [{ operation: 'delete', items: [{ externalId: 'a' }], except: [] }, '/except'],
    [{ operation: 'delete', items: [{ externalId: 'a' }], limit: 10 }, '/limit'],
    [{ operation: 'update', items: [{}], filter: {} }, '/items'],
    [{ operation: 'restore', filter: {} }, '/operation'],
    [{ operation: 'delete', filter: { state: [] } }, '/filter/state'],
    [{ operation: 'delete', filter: {}, change: { type: 'x' } }, '/change'],
  ])('%j is refused at %s', async (body, pointer) => {
    const answer = await batch(body);
    expect(answer.status).toBe(422);
    expect(answer.body.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer);
  });
});

describe('the list', () => {
  it('finds by name and external ID, literally and ignoring case', async () => {
    await create({ name: 'ÄRMEL 100%', externalId: 'sleeve' });
    await create({ name: 'Other', externalId: 'x_y' });
    expect(await names('?q=%C3%A4rmel')).toEqual(['ÄRMEL 100%']);
    expect(await names('?q=100%25')).toEqual(['ÄRMEL 100%']);
    expect(await names('?q=SLEEV')).toEqual(['ÄRMEL 100%']);
    expect(await names('?q=_')).toEqual(['Other']);
  });

  it('filters by type, state and all of several tags', async () => {
    await create({ name: 'A', type: 'pump', tags: { site: 'north', line: '1' } });
    await create({ name: 'B', type: 'pump', tags: { site: 'north', line: '2' } });
    await create({ name: 'C', type: 'fan', tags: { site: 'north', line: '1' } });
    expect(await names('?type=pump&tag=site:north&tag=line:1')).toEqual(['A']);
    expect(await names('?type=pump&type=fan&sort=-name')).toEqual(['C', 'B', 'A']);
    expect(await names('?state=online')).toEqual([]);
    expect((await list('?state=never-seen&total=true&limit=1')).total).toBe(3);
  });

  it('returns every device exactly once while others are registered and deleted', async () => {
    for (let number = 0; number < 60; number++) await create({ name: `Device ${number}` });
    const before = (await list('?limit=200')).data.map(({ id }) => id);
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Awaited<ReturnType<typeof list>> = await list(
        `?limit=7&sort=createdAt${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
      await create({ name: 'Newcomer' });
      const gone = page.data[0];
      if (gone !== undefined) await test.request('DELETE', `/v1/devices/${gone.id}`);
      if (seen.length > 200) break;
    }
    expect(new Set(seen).size).toBe(seen.length);
    for (const id of before) expect(seen).toContain(id);
  });

  it('rejects a cursor with another filter', async () => {
    await create({ name: 'A' });
    await create({ name: 'B' });
    const { nextCursor } = await list('?limit=1');
    const { status, body } = await test.request('GET', `/v1/devices?limit=1&q=a&cursor=${nextCursor}`);
    expect([status, body.code]).toEqual([400, 'cursor-mismatch']);
  });
});

describe('the state', () => {
  const hear = async (id: string) => {
    test.service.parts.presence.markSeen([id], clockMs);
    await test.service.parts.presence.flush();
  };
  const stateOf = async (id: string) => (await test.request('GET', `/v1/devices/${id}`)).body.state;
  const becomes = (id: string, state: string) =>
    expect.poll(() => stateOf(id), { interval: 100 }).toBe(state);

  it('records an event if a new interval changes it', async () => {
    const { id } = await create({ name: 'Turned', expectedInterval: 600 });
    await hear(id);
    clockMs += 400_000;
    await test.request('PATCH', `/v1/devices/${id}`, { body: { expectedInterval: 1 } });
    expect(await stateOf(id)).toBe('offline');
    const { body } = await test.request('GET', `/v1/events?subject=${id}&type=device.offline`);
    expect(body.data).toMatchObject([{ data: { from: 'online' } }]);
  });

  it('goes from never seen to online, late and offline by the time of receipt', async () => {
    const { id } = await create({ name: 'Pump', expectedInterval: 30 });
    expect(await stateOf(id)).toBe('never-seen');
    await hear(id);
    expect(await stateOf(id)).toBe('online');
    clockMs += 90_000;
    expect(await stateOf(id)).toBe('online');
    clockMs += 1;
    await becomes(id, 'late');
    clockMs += 90_000;
    await becomes(id, 'offline');
    await hear(id);
    expect(await stateOf(id)).toBe('online');
  });

  it('ignores downtime of the service: no device goes offline', async () => {
    const { id } = await create({ name: 'Pump', expectedInterval: 30 });
    await hear(id);
    await test.restart(() => void (clockMs += 3_600_000));
    expect(await stateOf(id)).toBe('online');
  });

  it('learns the interval of a device without an expected one', async () => {
    const { id } = await create({ name: 'Pump' });
    for (let count = 0; count < 5; count++) {
      await hear(id);
      clockMs += 20_000;
    }
    expect((await test.request('GET', `/v1/devices/${id}`)).body.learnedInterval).toBe(20);
  });

  it('learns the interval again after a batch deleted and restored the device', async () => {
    const { id } = await create({ name: 'Pump' });
    const hearEach = async (times: number, stepMs: number) => {
      for (let count = 0; count < times; count++) {
        await hear(id);
        clockMs += stepMs;
      }
    };
    await hearEach(10, 20_000);
    for (const operation of ['delete', 'restore'])
      await test.request('POST', '/v1/devices/batch', { body: { operation, items: [{ id }] } });
    await hearEach(4, 60_000);
    expect((await test.request('GET', `/v1/devices/${id}`)).body.learnedInterval).toBe(60);
  });
});

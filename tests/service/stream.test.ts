import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startTestService, type TestService } from './start-test-service.ts';

let test: TestService;
beforeAll(async () => {
  test = await startTestService();
});
afterAll(() => test.close());

type Frame = { event: string; id?: string; data: any }; // oxlint-disable-line typescript/no-explicit-any

/** Reads a stream of server-sent events in the background. */
const follow = async (query = '', { token = test.token, lastId = '' } = {}) => {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const response = await fetch(`${test.url}/v1/stream${query}`, {
    headers: { authorization: `Bearer ${token}`, ...(lastId === '' ? {} : { 'last-event-id': lastId }) },
    signal: stop.signal,
  });
  const frames: Frame[] = [];
  let isEnded = false;
  const read = async () => {
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const fields = Object.fromEntries(
          block.split('\n').map((line) => line.split(/: ?(.*)/s).slice(0, 2)),
        );
        if ('data' in fields) frames.push({ ...fields, data: JSON.parse(fields.data) });
      }
    }
  };
  void read()
    .catch(() => undefined)
    .finally(() => (isEnded = true));
  return {
    response,
    frames,
    hasEnded: () => isEnded,
    of: (kind: string) => frames.filter(({ event }) => event === kind),
  };
};

const createDevice = async (name: string) =>
  (await test.request('POST', '/v1/devices', { body: { name } })).body;
const send = (device: string, values: Record<string, unknown>) =>
  test.request('POST', '/v1/telemetry', { body: { samples: [{ device, values }] } });

describe('the stream', () => {
  it('tells what happens, as an event that the log has too', async () => {
    const { of, response } = await follow();
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const device = await createDevice('Told');
    await expect.poll(() => of('event').map(({ data }) => data.subject.id)).toContain(device.id);
  });

  it('shows the samples of the series asked for, and no others', async () => {
    const [mine, other] = [await createDevice('Mine'), await createDevice('Other')];
    const { of } = await follow(`?device=${mine.id}&metric=temp`);
    await send(other.externalId, { temp: 1 });
    await send(mine.externalId, { temp: 21.5, humidity: 40 });
    await expect
      .poll(() => of('telemetry').flatMap(({ data }) => data.series))
      .toEqual([{ device: mine.id, metric: 'temp', ts: [expect.any(Number)], value: [21.5] }]);
  });

  it('shows a device coming online without being asked for it', async () => {
    const { of } = await follow();
    const device = await createDevice('Coming');
    await send(device.externalId, { temp: 1 });
    await expect
      .poll(() => of('device').map(({ data }) => [data.id, data.state]))
      .toContainEqual([device.id, 'online']);
  });

  it('goes on where it was left: what happened meanwhile comes first', async () => {
    const first = await follow();
    await createDevice('Before');
    await expect.poll(() => first.of('event').length).toBeGreaterThan(0);
    const lastId = first.of('event').at(-1)?.id ?? '';
    const missed = await createDevice('Meanwhile');
    const { of } = await follow('', { lastId });
    await expect.poll(() => of('event').map(({ data }) => data.subject.id)).toEqual([missed.id]);
  });

  it('says reset where what was missed is not known', async () => {
    const { of } = await follow('', { lastId: 'evt_01jz3k5v8cf6n9qw2r4t7y0abd' });
    await expect.poll(() => of('reset').length).toBe(1);
  });

  it('leaves out the kinds that the token has no scope for', async () => {
    const { secret } = await test.mintKey(['devices:read']);
    const device = await createDevice('Seen by few');
    const { frames, of } = await follow(`?device=${device.id}`, { token: secret });
    const all = await follow(`?device=${device.id}`);
    await send(device.externalId, { temp: 1 });
    // Where everything may be heard, the sample and what comes after it have been told.
    await expect.poll(() => all.of('telemetry').length).toBe(1);
    await expect.poll(() => of('device').length).toBeGreaterThan(0);
    expect(new Set(frames.map(({ event }) => event))).toEqual(new Set(['device']));
  });

  it('ends within a second when its key is revoked', async () => {
    const { id, secret } = await test.mintKey(['devices:read']);
    const { hasEnded } = await follow('', { token: secret });
    await test.request('DELETE', `/v1/api-keys/${id}`);
    await expect.poll(hasEnded, { timeout: 1_000 }).toBe(true);
  });

  it('ends when its session signs out', async () => {
    const { secret } = await test.mintKey(['devices:read']);
    const { body } = await test.request('POST', '/v1/sessions', { token: null, body: { token: secret } });
    const { hasEnded } = await follow('', { token: body.token });
    await test.request('DELETE', '/v1/session', { token: body.token });
    await expect.poll(hasEnded, { timeout: 1_000 }).toBe(true);
  });
});

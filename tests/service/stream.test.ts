import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startTestService, type TestService } from './start-test-service.ts';

let test: TestService;
beforeAll(async () => {
  test = await startTestService();
});
afterAll(() => test.close());

type Frame = { event: string; id?: string; data: any }; // oxlint-disable-line typescript/no-explicit-any

/** Reads a stream of server-sent events in the background. */
const follow = async (query = '') => {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const response = await fetch(`${test.url}/v1/stream${query}`, {
    headers: { authorization: `Bearer ${test.token}` },
    signal: stop.signal,
  });
  const frames: Frame[] = [];
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
  void read().catch(() => undefined);
  return {
    response,
    of: (kind: string) => frames.filter(({ event }) => event === kind),
  };
};

const createDevice = async (name: string) =>
  (await test.request('POST', '/v1/devices', { body: { name } })).body;
const send = (device: string, values: Record<string, unknown>) =>
  test.request('POST', '/v1/telemetry', { body: { samples: [{ device, values }] } });

describe('the stream', () => {
  it('sends events that are also in the log', async () => {
    const { of, response } = await follow();
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const device = await createDevice('Told');
    await expect.poll(() => of('event').map(({ data }) => data.subject.id)).toContain(device.id);
  });

  it('sends only the samples of requested series', async () => {
    const [mine, other] = [await createDevice('Mine'), await createDevice('Other')];
    const { of } = await follow(`?device=${mine.id}&metric=temp`);
    await send(other.externalId, { temp: 1 });
    await send(mine.externalId, { temp: 21.5, humidity: 40 });
    await expect
      .poll(() => of('telemetry').flatMap(({ data }) => data.series))
      .toEqual([{ device: mine.id, metric: 'temp', ts: [expect.any(Number)], value: [21.5] }]);
  });

  it('begins with the state of the followed devices, which may have changed since they were read', async () => {
    const [asked, seen, other] = await Promise.all(['Asked', 'Seen', 'Not asked'].map(createDevice));
    for (const { externalId } of [asked, seen, other]) await send(externalId, { temp: 1 });
    await test.service.parts.presence.flush();
    const { of } = await follow(`?device=${asked.id}&seen=${seen.id}`);
    const ids = () => of('device').map(({ data }) => data.id);
    await expect.poll(() => ids().toSorted()).toEqual([asked.id, seen.id].toSorted());
    const { body } = await test.request('GET', `/v1/devices/${seen.id}`);
    const { id, state, lastSeenAt } = body;
    expect(state).toBe('online');
    expect(of('device').map(({ data }) => data)).toContainEqual({ id, state, lastSeenAt });
  });

  it('sends a device that becomes online without a request for it', async () => {
    const { of } = await follow();
    const device = await createDevice('Coming');
    await send(device.externalId, { temp: 1 });
    await expect
      .poll(() => of('device').map(({ data }) => [data.id, data.state]))
      .toContainEqual([device.id, 'online']);
  });
});

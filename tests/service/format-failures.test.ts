import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sliceMessage } from '#service/body-reader/slice-message.ts';
import { chirpstackV3Format } from '#service/pipelines/formats/chirpstack-v3-format.ts';
import type { MessageFormat } from '#service/pipelines/formats/message-format.ts';
import { readMessage } from '#service/pipelines/formats/read-message.ts';
import { createDeviceMessageCache } from '#service/pipelines/ingest/device-message-cache.ts';
import { createIntake } from '#service/pipelines/ingest/intake.ts';
import { createRejectingDevices } from '#service/pipelines/ingest/rejecting-devices.ts';
import { createLog } from '#service/platform/log.ts';
import { defaultTimeRule } from '#service/telemetry/write/sample-time.ts';
import { startTestService, type TestService } from './start-test-service.ts';

/** Throws in the middle of a message with `fails`. Before, it writes samples, a rejection, and a part of a group. */
const plantedWrite: MessageFormat['write'] = (message, writer) => {
  if (typeof message !== 'object' || message === null || !('fails' in message)) return false;
  writer.put('temp', 99);
  writer.put('text', 'lost');
  writer.endGroup('phantom', undefined);
  writer.put('temp', 98);
  writer.put('bad', [1]);
  writer.endGroup('good-1', undefined);
  writer.put('temp', 97);
  throw new TypeError('a planted bug');
};

let service: TestService;
beforeAll(async () => {
  vi.spyOn(chirpstackV3Format, 'write').mockImplementation(plantedWrite);
  service = await startTestService();
});
afterAll(() => {
  vi.restoreAllMocks();
  return service.close();
});

const failing = { fails: true };
const bytesOf = (message: unknown) => Buffer.from(JSON.stringify(message));

const newPipeline = async (name: string): Promise<string> =>
  (
    await service.request('POST', '/v1/pipelines', {
      body: { name, type: 'http', interval: 10, destination: 'telemetry' },
    })
  ).body.id;

describe('a message whose format throws', () => {
  test('is rejected alone, and logged once: the other messages of its batch are stored', async () => {
    const id = await newPipeline('Batch');
    const lines: string[] = [];
    const { submit } = createIntake({
      ...service.service.parts,
      deviceMessages: createDeviceMessageCache(),
      rejectingDevices: createRejectingDevices(Date.now),
      log: createLog('info', { write: (line) => lines.push(line) }),
      onCounted: () => undefined,
      onFull: () => undefined,
      onFailed: () => undefined,
    });
    const channel = {
      id,
      name: 'Batch',
      isSpooled: false,
      onUnknownDevice: 'register',
      expectedInterval: undefined,
      times: defaultTimeRule,
    } as const;
    const messages = [
      { device: 'good-1', temp: 1, text: 'kept' },
      failing,
      { device: 'good-2', temp: 2 },
      failing,
      { device: 'good-3', temp: 3 },
    ];
    const outcomes = await Promise.all(
      messages.map((content) => {
        const message = { bytes: bytesOf(content), topic: null, device: undefined };
        return submit({
          channel,
          message,
          origin: { actor: null, devices: null },
          receivedAtMs: Date.now(),
          read: (writer) => readMessage(message, { nowMs: Date.now() }, writer),
        });
      }),
    );
    expect(outcomes.map(({ received, rejected }) => [received, rejected])).toEqual([
      [2, 0],
      [1, 1],
      [1, 0],
      [1, 1],
      [1, 0],
    ]);
    const { body: latest } = await service.request(
      'GET',
      '/v1/telemetry/latest?device=good-1&device=good-2&device=good-3',
    );
    expect(latest.data.map(({ externalId, value }: Record<string, unknown>) => [externalId, value])).toEqual([
      ['good-1', 1],
      ['good-1', 'kept'],
      ['good-2', 2],
      ['good-3', 3],
    ]);
    expect((await service.request('GET', '/v1/devices?q=phantom')).body.data).toEqual([]);
    const { body: rejections } = await service.request('GET', `/v1/pipelines/${id}/rejections`);
    expect(rejections.data).toMatchObject([
      { reason: 'format-error', detail: expect.stringContaining('as chirpstack-v3'), samples: 1 },
      { reason: 'format-error', samples: 1 },
    ]);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        pipeline: id,
        format: 'chirpstack-v3',
        stack: expect.stringMatching(/^TypeError: a planted bug\n +at .*format-failures/),
      },
    ]);
  });

  test('is rejected by Preview too', async () => {
    const { body } = await service.request('POST', '/v1/pipelines/preview', {
      body: { type: 'http', message: JSON.stringify(failing) },
    });
    expect(body).toMatchObject({ samples: [], skipped: false, rejections: [{ reason: 'format-error' }] });
  });

  test('is rejected as a whole if it is read in slices', () => {
    const slices = [];
    const reading = sliceMessage({
      bytes: bytesOf(failing),
      device: undefined,
      topic: null,
      times: defaultTimeRule,
      nowMs: 0,
    });
    for (let next = reading.next(); ; next = reading.next()) {
      slices.push(next.value);
      if (next.done === true) break;
    }
    expect(slices).toMatchObject([
      { rejections: [{ reason: 'format-error', samples: 1 }], failure: expect.stringContaining('planted') },
    ]);
    expect(slices[0]?.reading?.series.devices).toEqual([]);
  });
});

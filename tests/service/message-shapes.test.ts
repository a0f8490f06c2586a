import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const preview = async (body: object) =>
  (await service.request('POST', '/v1/pipelines/preview', { body: { type: 'http', ...body } })).body;

test.each([
  ['21.5', 'This is the JSON number 21.5.'],
  ['"ON"', 'This is the JSON text “ON”.'],
  ['true', 'This is the JSON boolean true.'],
  ['null', 'This is the JSON value null.'],
  ['[1, 2, 3]', 'This is a JSON list of 3 numbers.'],
  ['["a"]', 'This is a JSON list of 1 text.'],
  ['[1, "a"]', 'This is a JSON list of 2 values of different kinds.'],
  ['[]', 'This is an empty JSON list.'],
  ['[{"values": {"a": 1}}, {"temp": 2}]', 'This is a JSON list of 2 objects of different shapes.'],
  ['21.5,48,1013,3.6', 'This is CSV with 4 columns.'],
  ['21.5;48', 'This is CSV with 2 columns.'],
  ['21.5\t48', 'This is CSV with 2 columns.'],
  ['temp=21.5', 'This is text of 1 pair name=value (temp).'],
  ['a=1,b=2', 'This is text of 2 pairs name=value (a, b).'],
  ['level=info msg="all well" took=12ms', 'This is text of 3 pairs name=value (level, msg, took).'],
  ['cpu,host=a usage=0.5 1763717400000000000', 'This is InfluxDB line protocol.'],
  ['{"t": 1}\r\n{"t": 2}\r\n', 'This is JSON objects, one per line (NDJSON).'],
  ['<xml/>', 'This is XML or HTML.'],
  ['hello there', 'This is the text “hello there”.'],
])('the message %s is described, with an expression that maps it', async (message, shape) => {
  const { rejections, format } = await preview({ message, device: 'a' });
  expect([format, rejections]).toEqual([null, [expect.objectContaining({ detail: expect.any(String) })]]);
  const [sentence, expression] = rejections[0].detail.split('an expression, for example ');
  expect(sentence.startsWith(shape)).toBe(true);
  const mapped = await preview({
    message,
    device: 'a',
    mapping: { format: 'expression', expression },
  });
  expect(mapped.rejections).toEqual([]);
  expect(mapped.samples.length > 0 || mapped.skipped).toBe(true);
});

it.each([
  ['temp=21.4 state=on', { temp: 21.4 }],
  ['state=on,temp=21.4', { state: 'on' }],
  ['offset=+5', { offset: '+5' }],
  ['cpu,host=a usage=0.5 1763717400000000000', { value: 0.5 }],
  ['cpu,host=a usage=1i', { value: '1i' }],
  ['21.5;48', { first: 21.5 }],
])('%s is mapped to numbers where it holds numbers', async (message, values) => {
  const { rejections } = await preview({ message, device: 'a' });
  const [, expression] = rejections[0].detail.split('an expression, for example ');
  const { samples } = await preview({ message, device: 'a', mapping: { format: 'expression', expression } });
  expect(samples.map((group: { values: unknown }) => group.values)).toEqual([values]);
});

it('of long JSON lines is described as NDJSON', async () => {
  const line = `{"t": 1,${' '.repeat(3_000)}"p": 2}`;
  const { rejections } = await preview({ message: `${line}\n${line}`, device: 'a' });
  expect(rejections[0].detail).toContain('This is JSON objects, one per line (NDJSON).');
});

it('of broken JSON reports the position of the error', async () => {
  const { rejections } = await preview({ message: '{"temp": 21', device: 'a' });
  expect(rejections[0].detail).toMatch(/^The message is not JSON: .*position 11/);
});

it('without a device is previewed with its samples, and how the device is found', async () => {
  expect(await preview({ message: '{"ts": "2025-11-21T09:30:00", "temp": 21.5, "bad": [1]}' })).toMatchObject(
    {
      format: 'flat',
      samples: [],
      unnamed: [{ ts: Date.UTC(2025, 10, 21, 9, 30), values: { temp: 21.5 } }],
      timeZone: 'UTC',
      rejections: [
        {
          reason: 'device-missing',
          detail: expect.stringContaining(
            'the first + of the topic, the query parameter “device” and the configuration of the pipeline',
          ),
        },
      ],
    },
  );
  expect(await preview({ message: '{"temp": 21.5}', device: 'a' })).toMatchObject({
    samples: [{ device: 'a', values: { temp: 21.5 } }],
    unnamed: [],
    rejections: [],
  });
});

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
  ['{"t": 1}\r\n{"values": {"t": 2}}\r\n', 'This is JSON objects, one per line (NDJSON).'],
  ['<xml/>', 'This is XML or HTML.'],
  ['hello there', 'This is the text “hello there”.'],
])('the message %s is described, with an expression that maps it', async (message, shape) => {
  const { rejections, format } = await preview({ message, device: 'a' });
  expect([format, rejections]).toEqual([null, [expect.objectContaining({ detail: expect.any(String) })]]);
  const [{ detail, expression }] = rejections;
  expect(detail.startsWith(shape)).toBe(true);
  expect(detail).not.toMatch(/[`$]/);
  expect(expression).toMatch(/ : \$$/);
  const mapped = await preview({
    message,
    device: 'a',
    mapping: { format: 'expression', expression },
  });
  expect(mapped.rejections).toEqual([]);
  expect(mapped.samples.length > 0 || mapped.skipped).toBe(true);
});

const state = { value1: 1, value2: 21.5, value3: '2026-11-30 12:00', value4: 'OK' };

test.each([
  ['1;21,5;2026-11-30 12:00;OK', 'CSV with 4 columns', state],
  ['1;21,5;2026-11-30 12:00;OK\r\n2;22,5;2026-11-30 12:01;OK\r\n', 'CSV with 4 columns', state],
  ['1;21,5;22,7', 'CSV with 3 columns', { value1: 1, value2: 21.5, value3: 22.7 }],
  ['-0,5\t22,7', 'CSV with 2 columns', { value1: -0.5, value2: 22.7 }],
  ['1;OK, ready', 'CSV with 2 columns', { value1: 1, value2: 'OK, ready' }],
  ['21,5', 'the number 21,5 with a decimal comma', { value: 21.5 }],
  ['-21,5\n22,7\n', 'the number -21,5 with a decimal comma', { value: -21.5 }],
  ['21,5,22', 'CSV with 3 columns', { value1: 21, value2: 5, value3: 22 }],
  ['21,OK', 'CSV with 2 columns', { value1: 21, value2: 'OK' }],
  // The lines have different numbers of columns by semicolon.
  ['1,up;2\n3,down', 'CSV with 2 columns', { value1: 1, value2: 'up;2' }],
])('the values of %j are read with its separator and decimal sign', async (message, shape, values) => {
  const { rejections } = await preview({ message, device: 'a' });
  const [{ detail, expression }] = rejections;
  expect(detail).toMatch(new RegExp(`^This is ${shape}\\.`));
  const mapping = { format: 'expression', expression };
  const mapped = await preview({ message, device: 'a', mapping });
  expect(mapped).toMatchObject({ samples: [{ device: 'a', values }], rejections: [] });
});

test('a column of whole numbers in a message with decimal commas can have one in the next message', async () => {
  const { rejections } = await preview({ message: '21,5;22', device: 'a' });
  const mapping = { format: 'expression', expression: rejections[0].expression };
  const mapped = await preview({ message: '21;22,5', device: 'a', mapping });
  expect(mapped.samples).toMatchObject([{ values: { value1: 21, value2: 22.5 } }]);
});

/** Messages in each known format. */
const KNOWN = [
  '{"values": {"t": 1}}',
  '[{"device": "b", "ts": 1763717400000, "values": {"t": 1}}, {"values": {"t": 1}}]',
  '{"temp": 21.5, "nested": {"x": 1}}',
  '[{"temp": 21.5}, {"temp": 22, "timestamp": 1763717400}]',
  '{"ts": 1763717400000, "values": {"t": {"inner": 1}}}',
  '[{"ts": 1763717400000, "values": {"t": {"inner": 1}}}]',
  '{"gate-1": [{"values": {"t": 1}}]}',
  '[{"bn": "urn:dev:mac:1:", "n": "t", "u": "Cel", "v": 21}, {"n": "h", "u": "%RH", "v": 40}]',
  '{"deviceInfo": {"devEui": "0102030405060708", "deviceName": "Cellar"}, "object": {"t": 1}}',
  '{"end_device_ids": {"device_id": "tts-1"}, "uplink_message": {"decoded_payload": {"t": 1}}}',
  '# HELP load Load, over 1 minute\n# TYPE load gauge\nload{core="0",host="a"} 0.5\nup 1\n',
  'up{job="a,b",x="y = z"} 1 1763717400000\n',
];

test.each([
  '21.5',
  '"ON"',
  'true',
  'null',
  '[1, 2, 3]',
  '[1, {"a": 1}]',
  '[]',
  '[{"values": {"a": 1}}, {"device": "c", "temp": 2}]',
  '[{"values": {"a": 1}, "site": "north"}]',
  '21.5,48,1013',
  '21.5;48',
  '21.5\t48',
  'temp=21.5 hum=40',
  'cpu,host=a usage=0.5 1763717400000000000',
  '{"t": 1}\n{"values": {"t": 2}}\n',
  '<xml/>',
  'hello there',
])('the expression for %s leaves messages in known formats as they are', async (message) => {
  const { rejections } = await preview({ message, device: 'a' });
  const [{ expression }] = rejections;
  for (const known of KNOWN) {
    const detected = await preview({ message: known, device: 'a' });
    expect(detected).toMatchObject({ format: expect.any(String), rejections: [] });
    expect(
      await preview({ message: known, device: 'a', mapping: { format: 'expression', expression } }),
    ).toEqual(detected);
  }
});

it.each([
  ['temp=21.4 state=on', { temp: 21.4, state: 'on' }],
  ['state=on,temp=21.4, hum=-4e1', { state: 'on', temp: 21.4, hum: -40 }],
  ['level=info;msg="all, well";took=', { level: 'info', msg: 'all, well' }],
  ['a=1 b=2\na=3 b=4', { a: 1, b: 2 }],
  ['offset=+5', { offset: '+5' }],
  ['cpu,host=a usage=0.5 1763717400000000000', { value: 0.5 }],
  ['cpu,host=a usage=1i', { value: '1i' }],
  ['21.5;48', { value1: 21.5, value2: 48 }],
  ['1.57; 52.2;;OK\n', { value1: 1.57, value2: 52.2, value4: 'OK' }],
  ['1\t2\r\n3\t4', { value1: 1, value2: 2 }],
])('%s is mapped to numbers where it holds numbers', async (message, values) => {
  const { rejections } = await preview({ message, device: 'a' });
  const [{ expression }] = rejections;
  const { samples } = await preview({ message, device: 'a', mapping: { format: 'expression', expression } });
  expect(samples.map((group: { values: unknown }) => group.values)).toEqual([values]);
});

it.each([
  ['1;;3', 'empty columns'],
  [Array.from({ length: 30 }, (_, n) => n).join(';'), 'columns after the first 20'],
  ['1;2\n3;4', 'lines after the first'],
  ['a=1,b=,c=3', 'empty values'],
  ['a=1\nb=2', 'lines after the first'],
  ['[1, 2, 3]', 'all values but the first'],
])('the text for %s says what the suggested expression leaves out', async (message, left) => {
  const { rejections } = await preview({ message, device: 'a' });
  expect(rejections[0].detail).toMatch(new RegExp(`The suggested expression leaves out ${left}\\.$`));
});

it('of JSON lines is mapped with the devices, timestamps and values of all lines', async () => {
  const message =
    '{"device":"b","ts":1763717400000,"temp":21.5,"hum":40}\n{"ts":1763717410000,"values":{"temp":22}}\n';
  const { rejections } = await preview({ message, device: 'a' });
  const [{ expression }] = rejections;
  const mapped = await preview({ message, device: 'a', mapping: { format: 'expression', expression } });
  expect(mapped).toMatchObject({
    rejections: [],
    samples: [
      { device: 'b', ts: 1763717400000, values: { temp: 21.5, hum: 40 } },
      { device: 'a', ts: 1763717410000, values: { temp: 22 } },
    ],
  });
});

it('is quoted without half of a character', async () => {
  const { rejections } = await preview({ message: `"${'x'.repeat(39)}😀 and more"`, device: 'a' });
  expect(rejections[0].detail).toContain(`“${'x'.repeat(39)}\ufffd…”`);
});

it('of long JSON lines of different shapes is described as NDJSON', async () => {
  const line = `{"t": 1,${' '.repeat(3_000)}"p": 2}`;
  const { rejections } = await preview({ message: `${line}\n{"values": ${line}}`, device: 'a' });
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
          detail: expect.stringContaining('give a field the role “Device” in Preview'),
        },
      ],
    },
  );
  const [{ detail: withoutTopic }] = (await preview({ message: '{"temp": 21.5}' })).rejections;
  expect(withoutTopic).not.toMatch(/topic/);
  for (const mapping of [
    { format: 'auto' },
    { format: 'expression', expression: '{ "values": { "t": temp } }' },
  ]) {
    const onTopic = await preview({ type: 'mqtt', mapping, message: '{"temp": 21.5}', topic: 'hall/temp' });
    expect(onTopic.rejections[0].detail).toContain('put a wildcard at the level of the topic');
  }
  expect(await preview({ message: '{"temp": 21.5}', device: 'a' })).toMatchObject({
    samples: [{ device: 'a', values: { temp: 21.5 } }],
    unnamed: [],
    rejections: [],
  });
});

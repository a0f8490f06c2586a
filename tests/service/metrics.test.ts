import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guessMetric } from '#service/telemetry/guess-metric.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let test: TestService;
beforeAll(async () => {
  test = await startTestService();
});
afterAll(() => test.close());

let serial = 0;
/** A device with values, of a type. */
const register = async (type: string, values: Record<string, unknown>): Promise<string> => {
  serial += 1;
  const body = { name: `Device ${serial}`, externalId: `device-${serial}`, type };
  const { id } = (await test.request('POST', '/v1/devices', { body })).body;
  await test.request('POST', '/v1/telemetry', { body: { samples: [{ device: id, values }] } });
  return id;
};
const pathOf = (id: string, metric: string) => `/v1/devices/${id}/metrics/${encodeURIComponent(metric)}`;
const typePath = (type: string, metric: string) =>
  `/v1/device-types/${encodeURIComponent(type)}/metrics/${encodeURIComponent(metric)}`;
const read = async (path: string) => (await test.request('GET', path)).body;
const change = (path: string, body: unknown, ifMatch?: string | null) =>
  test.request('PATCH', path, { body, headers: ifMatch == null ? {} : { 'if-match': ifMatch } });
const metricOf = async (id: string, metric: string) =>
  (await read(`/v1/devices/${id}/metrics`)).data.find((each: { metric: string }) => each.metric === metric);

describe('settings of a metric', () => {
  it('apply to every device of a type, whatever its case, and to devices that come later', async () => {
    const first = await register('Boiler A', { flow: 61.25 });
    const other = await register('pump', { flow: 12 });
    await change(typePath('boiler a', 'flow'), { unit: 'm³/h', label: 'Flow', decimals: 1 });
    const later = await register('BOILER A', { flow: 62 });
    const expected = { unit: 'm³/h', label: 'Flow', decimals: 1, isUnitGuessed: false };
    expect(await metricOf(first, 'flow')).toMatchObject(expected);
    expect(await metricOf(later, 'flow')).toMatchObject(expected);
    expect(await metricOf(other, 'flow')).toMatchObject({ unit: null, label: null, decimals: null });
  });

  it('belong to one type and metric, even if their names contain a slash', async () => {
    const id = await register('press', { 'line/temp': 3 });
    const other = await register('press/line', { temp: 3 });
    await change(typePath('press', 'line/temp'), { unit: 'K' });
    await change(typePath('press/line', 'temp'), { unit: 'bar' });
    const { data } = await read(`/v1/telemetry/latest?device=${id}&device=${other}`);
    expect(
      Object.fromEntries(data.map((each: Record<string, unknown>) => [each['metric'], each['unit']])),
    ).toEqual({
      'line/temp': 'K',
      temp: 'bar',
    });
  });

  it('of a device override those of its type, field by field, until they are reset', async () => {
    const id = await register('press', { force: 3 });
    await change(typePath('press', 'force'), { unit: 'N', label: 'Force' });
    await change(pathOf(id, 'force'), { unit: 'kN' });
    expect(await read(pathOf(id, 'force'))).toMatchObject({
      unit: 'kN',
      label: 'Force',
      deviceType: 'press',
      deviceSettings: { unit: 'kN', label: null },
      typeSettings: { unit: 'N', label: 'Force' },
      automatic: { unit: null, label: null, metricType: 'gauge' },
    });
    await change(pathOf(id, 'force'), { unit: '' });
    expect(await metricOf(id, 'force')).toMatchObject({ unit: null, label: 'Force' });
    await change(pathOf(id, 'force'), { label: ' ' });
    expect(await metricOf(id, 'force')).toMatchObject({ unit: null, label: null });
    await change(pathOf(id, 'force'), { unit: null, label: null });
    expect(await metricOf(id, 'force')).toMatchObject({ unit: 'N', label: 'Force' });
  });

  it('are the unit of queries and latest values', async () => {
    const id = await register('meter', { power: 3 });
    await change(typePath('meter', 'power'), { unit: 'kW' });
    expect((await read(`/v1/telemetry?device=${id}`)).series).toMatchObject([{ unit: 'kW' }]);
    expect((await read(`/v1/telemetry/latest?device=${id}`)).data).toMatchObject([{ unit: 'kW' }]);
  });

  it('follow a device to its new type', async () => {
    const id = await register('old', { level: 3 });
    await register('new', { level: 3 });
    await change(typePath('new', 'level'), { unit: 'cm' });
    expect(await metricOf(id, 'level')).toMatchObject({ unit: null });
    await test.request('PATCH', `/v1/devices/${id}`, { body: { type: 'new' } });
    expect(await metricOf(id, 'level')).toMatchObject({ unit: 'cm' });
  });

  it('reject a change to an outdated revision', async () => {
    const id = await register('valve', { 'flow/temp': 3 });
    for (const path of [pathOf(id, 'flow/temp'), typePath('valve', 'flow/temp')]) {
      const etag = (await test.request('GET', path)).headers.get('etag');
      expect((await change(path, { unit: '°C' }, etag)).status).toBe(200);
      const stale = await change(path, { unit: 'K' }, etag);
      expect([stale.status, stale.body.code]).toEqual([412, 'precondition-failed']);
      const fresh = (await test.request('GET', path)).headers.get('etag');
      expect((await change(path, { label: 'Flow' }, fresh)).body).toMatchObject({
        label: 'Flow',
        unit: '°C',
      });
    }
  });

  it('are recorded as events of the device or the type', async () => {
    const id = await register('fan', { speed: 3 });
    await change(pathOf(id, 'speed'), { unit: 'rpm' });
    await change(typePath('fan', 'speed'), { decimals: 0 });
    const events = async (query: string) => (await read(`/v1/events?limit=1&${query}`)).data;
    expect(await events(`subject=${id}&type=device.updated`)).toMatchObject([
      { data: { metric: 'speed', fields: ['unit'], unit: 'rpm' } },
    ]);
    expect(await events('type=device-type.updated')).toMatchObject([
      { subject: { type: 'device-type', id: 'fan', name: 'fan' }, data: { metric: 'speed', decimals: 0 } },
    ]);
  });

  it('of a type have one subject in any case, named as its devices spell it', async () => {
    await register('Oven', { heat: 3 });
    await change(typePath('OVEN', 'heat'), { unit: 'K' });
    await change(typePath('oven', 'heat'), { unit: '°C' });
    const { data } = await read('/v1/events?subject=oven&type=device-type.updated');
    const subject = { type: 'device-type', id: 'oven', name: 'Oven' };
    expect(data).toMatchObject([
      { subject, data: { unit: '°C' } },
      { subject, data: { unit: 'K' } },
    ]);
  });

  it('that do not change record no event and keep the ETag', async () => {
    const id = await register('kiln', { heat: 3 });
    for (const path of [pathOf(id, 'heat'), typePath('kiln', 'heat')]) {
      const first = await change(path, { unit: 'K', decimals: 1 });
      for (const same of [{}, { unit: 'K' }, { label: null, decimals: 1 }]) {
        const { status, headers } = await change(path, same);
        expect([status, headers.get('etag')]).toEqual([200, first.headers.get('etag')]);
      }
      await change(path, { unit: '°C', decimals: 1 });
    }
    const { data } = await read('/v1/events?subject=kiln');
    expect(data.map((event: { data: { fields: string[] } }) => event.data.fields)).toEqual([
      ['unit'],
      ['unit', 'decimals'],
    ]);
    expect((await read(`/v1/events?subject=${id}&type=device.updated`)).data).toHaveLength(2);
  });

  it('need a metric that a device of the type has, and valid fields', async () => {
    const id = await register('mill', { speed: 3 });
    for (const path of [pathOf(id, 'sped'), typePath('mil', 'speed'), typePath('mill', 'sped')]) {
      const missing = await change(path, { unit: 'rpm' });
      expect([missing.status, missing.body.code]).toEqual([404, 'not-found']);
    }
    for (const body of [
      { decimals: 11 },
      { decimals: 0.5 },
      { metricType: 'sum' },
      { label: 'x'.repeat(101) },
      { colour: 1 },
    ])
      expect((await change(pathOf(id, 'speed'), body)).status).toBe(422);
    expect(await metricOf(id, 'speed')).toMatchObject({ label: null, decimals: null, metricType: 'gauge' });
  });

  it('need devices:write, and types that a limited key may not see are not found', async () => {
    const id = await register('lift', { load: 3 });
    const reader = await test.mintKey(['telemetry:read', 'devices:read']);
    const refused = await test.request('PATCH', typePath('lift', 'load'), {
      body: { unit: 'kg' },
      token: reader.secret,
    });
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient-scope']);
    const limited = await test.mintKey(['telemetry:read'], { devices: [id] });
    const statusOf = async (path: string) =>
      (await test.request('GET', path, { token: limited.secret })).status;
    expect(await statusOf(typePath('Lift', 'load'))).toBe(200);
    expect(await statusOf(typePath('fan', 'load'))).toBe(404);
  });

  it('of states have neither decimals nor a type', async () => {
    const id = await register('door', { open: true });
    await change(typePath('door', 'open'), { decimals: 2, metricType: 'counter', label: 'Open' });
    expect(await metricOf(id, 'open')).toMatchObject({ decimals: null, metricType: null, label: 'Open' });
  });
});

describe('automatic units', () => {
  const createPipeline = async () => {
    serial += 1;
    const body = { name: `SenML ${serial}`, type: 'http', interval: 5, destination: 'telemetry' };
    return (await test.request('POST', '/v1/pipelines', { body })).body.id;
  };
  const send = (pipeline: string, pack: unknown) =>
    test.request('POST', `/v1/pipelines/${pipeline}/messages`, { body: pack });
  const idOf = async (externalId: string) => (await read(`/v1/devices?q=${externalId}`)).data[0].id;

  it('are those of the first message, and stay when later messages state others', async () => {
    const pipeline = await createPipeline();
    await send(pipeline, [
      { bn: 'stove:', n: 'inside', u: 'Cel', v: 61 },
      { n: 'energy_kwh', u: 'J', v: 3 },
      { n: 'parts', u: 'count', v: 3 },
      { n: 'odd', u: '\u202e', v: 3 },
    ]);
    await send(pipeline, [
      { bn: 'stove:', n: 'inside', u: 'K', v: 334 },
      { n: 'parts', u: 'kg', v: 4 },
    ]);
    const id = await idOf('stove');
    const { data } = await read(`/v1/devices/${id}/metrics`);
    expect(
      data.map((each: Record<string, unknown>) => [each['metric'], each['unit'], each['isUnitGuessed']]),
    ).toEqual([
      ['energy_kwh', 'J', false],
      ['inside', '°C', false],
      ['odd', null, false],
      ['parts', null, false],
    ]);
  });

  it('are the first of those that a message states', async () => {
    const pipeline = await createPipeline();
    await send(pipeline, [
      { bn: 'kiln:', n: 'inside', u: 'Cel', v: 61, t: -10 },
      { n: 'inside', u: 'K', v: 334 },
    ]);
    expect(await metricOf(await idOf('kiln'), 'inside')).toMatchObject({ unit: '°C' });
  });

  it('are found if a write names a device by its ID and by its external ID', async () => {
    const id = await register('', { other: 1 });
    const { externalId } = await read(`/v1/devices/${id}`);
    await send(await createPipeline(), [
      { bn: `${externalId}:`, n: 'inside', u: 'Cel', v: 61 },
      { bn: `${id}:`, n: 'outside', u: 'K', v: 280 },
    ]);
    expect(await metricOf(id, 'inside')).toMatchObject({ unit: '°C' });
    expect(await metricOf(id, 'outside')).toMatchObject({ unit: 'K' });
  });

  it('have no invisible characters', async () => {
    const pipeline = await createPipeline();
    const fillers = ['\u115f', '\u1160', '\u3164', '\uffa0', '\u2800'];
    const records = fillers.map((filler, i) => ({ n: `m${i}`, u: `m${filler}`, v: i }));
    await send(pipeline, [{ bn: 'blank:', n: 'length', u: 'm', v: 1 }, ...records]);
    const { data } = await read(`/v1/devices/${await idOf('blank')}/metrics`);
    expect(data.map(({ unit }: { unit: string | null }) => unit)).toEqual(['m', ...fillers.map(() => null)]);
  });

  it('of a large message are those of its records', async () => {
    const pipeline = await createPipeline();
    const filler = Array.from({ length: 2_000 }, (_, i) => ({ n: 'v', t: -i - 1, u: 'V', v: 230 }));
    await send(pipeline, [{ bn: 'large:', n: 'inside', u: 'Cel', v: 61 }, ...filler]);
    const id = await idOf('large');
    expect(await metricOf(id, 'inside')).toMatchObject({ unit: '°C' });
    expect(await metricOf(id, 'v')).toMatchObject({ unit: 'V' });
  });

  it('are guessed from names of numbers that state a unit', async () => {
    const id = await register('', { flow_temp_celsius: 61, sent_bytes_total: 5, uptime_seconds: 'long' });
    expect(await metricOf(id, 'flow_temp_celsius')).toMatchObject({ unit: '°C', isUnitGuessed: true });
    expect(await metricOf(id, 'sent_bytes_total')).toMatchObject({ unit: 'B', metricType: 'counter' });
    expect(await metricOf(id, 'uptime_seconds')).toMatchObject({ unit: null, metricType: null });
    await change(pathOf(id, 'flow_temp_celsius'), { unit: '' });
    expect(await metricOf(id, 'flow_temp_celsius')).toMatchObject({ unit: null, isUnitGuessed: false });
  });
});

/** A guess that was shown must not change: lines are only removed here with a way to keep shown guesses. */
const guesses: readonly (readonly [name: string, unit: string | null, metricType: string])[] = [
  ['temperature', null, 'gauge'],
  ['temperature_celsius', '°C', 'gauge'],
  ['outdoor.temp_c', '°C', 'gauge'],
  ['tempF', '°F', 'gauge'],
  ['vitamin_c', null, 'gauge'],
  ['tempo_c', null, 'gauge'],
  ['template_f', null, 'gauge'],
  ['flow.temperature_f', '°F', 'gauge'],
  ['flowTempC', '°C', 'gauge'],
  ['humidity_percent', '%', 'gauge'],
  ['battery_mv', 'mV', 'gauge'],
  ['inverter/power_kw', 'kW', 'gauge'],
  ['energy_kwh_total', 'kWh', 'counter'],
  ['energyTotal', null, 'counter'],
  ['memory.total', null, 'gauge'],
  ['total', null, 'gauge'],
  ['http_requests_total.code.200.method.get', null, 'counter'],
  ['node_network_receive_bytes_total.device.eth0', 'B', 'counter'],
  ['received_bytes_per_second', 'B/s', 'gauge'],
  ['flow-liters-per-minute', 'L/min', 'gauge'],
  ['requests_per_second', null, 'gauge'],
  ['pressure:hpa', 'hPa', 'gauge'],
  ['seconds', null, 'gauge'],
  ['power_w', 'W', 'gauge'],
  ['solar.activePowerW', 'W', 'gauge'],
  ['power_l1_w', 'W', 'gauge'],
  ['power_kw', 'kW', 'gauge'],
  ['voltage_v', 'V', 'gauge'],
  ['battery_v', 'V', 'gauge'],
  ['voltage_phase_2_v', 'V', 'gauge'],
  ['battery_mv', 'mV', 'gauge'],
  ['current_l1_a', 'A', 'gauge'],
  ['amperage_a', 'A', 'gauge'],
  ['voltage_phase_a_v', 'V', 'gauge'],
  ['uptime_s', 's', 'gauge'],
  ['running_time_s_total', 's', 'counter'],
  ['runtime_h', 'h', 'gauge'],
  ['tank/level_m', 'm', 'gauge'],
  ['distance_m_per_second', 'm/s', 'gauge'],
  ['flag_a', null, 'gauge'],
  ['zone_v', null, 'gauge'],
  ['power_a', null, 'gauge'],
  ['current_a', null, 'gauge'],
  ['current_b', null, 'gauge'],
  ['power_1_2_3_w', null, 'gauge'],
  ['current_v', null, 'gauge'],
  ['current_zone_a', null, 'gauge'],
  ['powerful_w', null, 'gauge'],
  ['wind_speed_s', null, 'gauge'],
  ['direction_w', null, 'gauge'],
  ['voltage_l1', null, 'gauge'],
  ['phase_v', null, 'gauge'],
  ['power', null, 'gauge'],
  ['w', null, 'gauge'],
];

it.each(guesses)('the name %s is guessed as %s, %s', (name, unit, metricType) => {
  expect(guessMetric(name)).toEqual({ unit, metricType });
});

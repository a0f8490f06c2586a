import { screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TELEMETRY } from '#contract/pipelines.ts';
import { keyActivitySchema } from '#contract/key-activity.ts';
import { DEVICE_TOPIC } from '#contract/pipeline-types.ts';
import { connectTools, findTool } from '#dashboard/resources/connect/connect-tools.ts';
import { findConvention } from '#dashboard/pages/pipeline-form/topic-convention.ts';
import { isRejecting } from '#dashboard/resources/connect/is-rejecting.ts';
import { fillTemplate } from '#dashboard/resources/connect/fill-template.ts';
import { freePort } from '#tests/service/free-port.ts';
import { publishRaw } from '#tests/service/raw-mqtt.ts';
import { startTestService, type TestService } from '#tests/service/start-test-service.ts';
import { openPage } from './open-page.tsx';

let service: TestService;
let port: number;
beforeAll(async () => {
  port = await freePort();
  service = await startTestService({ env: { MQTT_PORT: String(port) } });
  await service.request('PATCH', '/v1/session', { body: { label: 'Ada' } });
});
afterAll(() => service.close());

const panel = (name: string) => within(screen.getByRole('region', { name }));
const createKey = async (user: UserEvent): Promise<string> => {
  const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Create key' });
  await waitFor(() => expect(button.disabled).toBe(false));
  await user.click(button);
  return (await screen.findByText(/^pen_key_[0-9A-Za-z]{49}$/, { selector: 'code' })).textContent;
};

test('Tasmota gets a key, pipelines and settings, and the page shows the format, the device and its values', async () => {
  const { user } = openPage(service, '/connect');
  await user.click(await screen.findByRole('link', { name: 'Tasmota' }));
  await screen.findByRole('heading', { name: 'Connect Tasmota', level: 1 });
  expect(window.location.search).toBe('?tool=tasmota');
  await screen.findByText('No key yet');

  await user.click(await screen.findByRole('button', { name: 'Create 2 pipelines' }));
  await screen.findByRole('link', { name: 'Tasmota results' });
  await waitFor(() => expect(panel('2. Pipeline').getAllByText('Running')).toHaveLength(2));

  const secret = await createKey(user);
  await screen.findByText('Waiting for the first message');
  expect(screen.getByRole('region', { name: 'Tasmota console' }).textContent).toBe(
    `Backlog TelePeriod 60; Topic plug-1; MqttHost 127.0.0.1; MqttPort ${port}; MqttUser plug-1; MqttPassword ${secret}`,
  );
  await user.click(screen.getByRole('button', { name: 'Copy: Tasmota console' }));

  const publish = (topic: string, message: string) =>
    publishRaw({ port, username: 'plug-1', password: secret }, topic, message);
  await publish('tele/plug-1/LWT', 'Online');
  await publish('cmnd-other/plug-1', 'x');
  await publish(
    'tele/plug-1/SENSOR',
    JSON.stringify({ Time: new Date().toISOString(), ENERGY: { Power: 3.5 } }),
  );

  await screen.findByText('Data received');
  const first = panel('First data');
  await first.findByRole('link', { name: 'plug-1' });
  await first.findByText('ENERGY.Power');
  await first.findByText('3.5 W');
  expect(first.getByText('Format').parentElement?.textContent).toBe('FormatTasmota in Tasmota');
  expect(first.getByText('cmnd-other/plug-1')).toBeTruthy();

  await publish('tele/plug-1/SENSOR', 'broken');
  await screen.findByText('2 samples from 1 device accepted, 1 sample rejected');
  expect(screen.queryByText('Data received')).toBeNull();
  const status = screen.getByText('Some data is rejected').closest('output')!;
  expect(within(status).getByRole('link', { name: 'Rejections of Tasmota' }).getAttribute('href')).toMatch(
    /^\/pipelines\/pip_/,
  );
  const chart = first.getByRole('link', { name: 'Open chart' });
  expect(chart.getAttribute('href')).toMatch(/^\/telemetry\?device=dev_[0-9a-z]+&range=15m$/);
});

test('Tasmota gets the time zone of its pipeline', async () => {
  const { body } = await service.request('GET', '/v1/pipelines?q=Tasmota');
  for (const { id } of body.data) await service.request('DELETE', `/v1/pipelines/${id}`);
  const config = { topic: 'tele/#', timeZone: 'UTC' };
  const created = await service.request('POST', '/v1/pipelines', {
    body: { name: 'Plugs', type: 'mqtt', interval: 1, destination: TELEMETRY, config },
  });
  expect(created.status).toBe(201);
  openPage(service, '/connect?tool=tasmota');
  await screen.findByText(/^Backlog TelePeriod 60; Timezone 0; Topic plug-1; /);
  await screen.findByText(
    'Tasmota sends local times. Its Timezone must be the time zone of the pipeline (UTC).',
  );
});

test('a tool that exists already shows its pipeline, and says why nothing was stored', async () => {
  const { user } = openPage(service, '/connect?tool=telegraf');
  const secret = await createKey(user);
  await user.click(screen.getByRole('button', { name: 'Copy: telegraf.conf' }));
  await screen.findByText('Waiting for the first message');
  const write = (line: string, token: string) =>
    service.request('POST', '/api/v2/write', {
      body: line,
      token: null,
      headers: { authorization: `Token ${token}`, 'content-type': 'text/plain' },
    });
  await write('cpu,host=pi usage_idle=97.1', `${secret.slice(0, -1)}${secret.endsWith('x') ? 'y' : 'x'}`);
  await screen.findByText('Unknown API key, from 127.0.0.1');
  await write('cpu usage_idle=97.1', secret);
  await screen.findByText('All data is rejected');
  await screen.findByText('No device');
  await write('cpu,host=pi usage_idle=97.1', secret);
  await screen.findByText('1 sample from 1 device accepted, 1 sample rejected');
  expect(screen.queryByText('Data received')).toBeNull();
  await screen.findByText('InfluxDB line protocol');
  await screen.findByRole('link', { name: 'pi' });
});

test('a key gets the chosen lifetime, and is revoked when the page is left if nobody copied or used it', async () => {
  const { user } = openPage(service, '/connect?tool=prometheus');
  await screen.findByText(/^On .+ Penstock warns you 14 days before\.$/);
  await user.click(await screen.findByRole('combobox', { name: 'Expires' }));
  await user.click(await screen.findByRole('option', { name: 'Never' }));
  await createKey(user);
  expect(screen.getByRole('link', { name: 'Prometheus (Connect)' }).parentElement?.textContent).toBe(
    'Prometheus (Connect) never expires',
  );
  await user.click(screen.getByRole('link', { name: 'All devices and tools' }));
  await screen.findByText('Revoked Prometheus (Connect)');
  await waitFor(async () => {
    const { body } = await service.request('GET', '/v1/api-keys?q=Prometheus');
    expect(body.data.map((each: { revokedAt: string | null }) => each.revokedAt !== null)).toEqual([true]);
  });
});

test('Enter on Create key moves the focus to the button that copies the secret', async () => {
  const { user } = openPage(service, '/connect?tool=telegraf');
  const button = await screen.findByRole<HTMLButtonElement>('button', { name: /^Create (another )?key$/ });
  await waitFor(() => expect(button.disabled).toBe(false));
  button.focus();
  await user.keyboard('{Enter}');
  const copy = await screen.findByRole('button', { name: 'Copy secret' });
  await waitFor(() => expect(document.activeElement).toBe(copy));
});

test('a key that was used, or selected and copied, stays valid and known when the page is left', async () => {
  const { user } = openPage(service, '/connect?tool=collectd');
  const leave = async (name: string) => {
    const href = (await screen.findByRole('link', { name })).getAttribute('href')!;
    await user.click(screen.getByRole('link', { name: 'All devices and tools' }));
    // The service has answered the earlier requests when it creates another key.
    await user.click(await screen.findByRole('link', { name: 'Prometheus' }));
    await createKey(user);
    await user.click(screen.getByRole('link', { name: 'All devices and tools' }));
    const id = new URL(href, service.url).searchParams.get('key');
    return (await service.request('GET', `/v1/api-keys/${id}`)).body.revokedAt;
  };
  const typed = await createKey(user);
  await service.request('POST', '/v1/telemetry', { token: typed, body: { samples: [] } });
  // Left before the page reads the activity of the key again.
  expect(await leave('collectd (Connect)')).toBeNull();
  await user.click(await screen.findByRole('link', { name: 'collectd' }));
  const first = panel('First data');
  await first.findByText('Key: collectd (Connect)');
  await first.findByText(/The key was (last )?used from 127\.0\.0\.1/);
  expect((await screen.findByText(/secret cannot be shown again/)).textContent).toMatch(
    /^collectd \(Connect\) was created/,
  );
  expect(screen.getByRole('link', { name: 'collectd (Connect)' }).getAttribute('href')).toMatch(/key=key_/);
  await user.click(screen.getByRole('button', { name: 'Create another key' }));
  await first.findByText('Waiting for the first message');
  await user.click(screen.getByRole('link', { name: 'All devices and tools' }));

  await user.click(await screen.findByRole('link', { name: 'mosquitto_pub' }));
  await createKey(user);
  document.getSelection()!.selectAllChildren(await screen.findByRole('region', { name: /mosquitto_pub/ }));
  await user.copy();
  expect(await leave('mosquitto_pub (Connect)')).toBeNull();
});

test('data of a key counts as rejected in the minute after a rejection, and until a later sample is accepted', () => {
  const atS = (seconds: number) => new Date(seconds * 1_000).toISOString();
  const activityOf = (acceptedS: number, rejectedS: number) =>
    keyActivitySchema.parse({
      since: atS(0),
      lastUsedAt: atS(0),
      lastUsedFrom: null,
      received: 14,
      rejected: 13,
      skipped: 0,
      deviceCount: 1,
      formats: [],
      unrouted: [],
      refused: [],
      devices: [
        {
          id: 'dev_00000000000000000000000000',
          externalId: 'plug-1',
          name: 'plug-1',
          lastAt: atS(acceptedS),
        },
      ],
      rejections: [{ reason: 'ts-zone', detail: 'Off.', pipeline: null, lastAt: atS(rejectedS) }],
    });
  const isRejectingAt = (nowS: number, acceptedS: number, rejectedS: number) =>
    isRejecting(activityOf(acceptedS, rejectedS), nowS * 1_000);
  expect(isRejectingAt(500, 100, 100)).toBe(true);
  expect(isRejectingAt(500, 499, 450)).toBe(true);
  expect(isRejectingAt(520, 499, 450)).toBe(false);
});

test('without scopes, the page shows the settings and who to ask', async () => {
  const { secret } = await service.mintKey(['devices:read', 'telemetry:read']);
  openPage(service, '/connect?tool=collectd', secret);
  await screen.findByText(/You need api-keys:manage and telemetry:write to create a key/);
  await screen.findByText(/You need pipelines:read/);
  expect((await screen.findByRole('region', { name: 'collectd.conf' })).textContent).toContain(
    'YOUR_PIPELINE/messages',
  );
});

const server = {
  baseUrl: 'https://penstock.example.com',
  registrationLimit: 10_000,
  version: '1.0.0',
};
const targets = [true, false].flatMap((tls) =>
  [true, false].map((isOneDevice) => ({
    connection: { ...server, mqtt: { port: tls ? 8_883 : 1_883, tls } },
    target: {
      device: 'boiler-7',
      isOneDevice,
      key: 'SECRET',
      pipelineId: 'pip_1',
      timeZone: 'Europe/Berlin',
    },
  })),
);

test('a pipeline that Connect creates is the same as one that is created from a topic of the tool', () => {
  const pipelines = connectTools.flatMap((tool) => tool.pipelines ?? []);
  const topics = pipelines.flatMap(({ name, ...rest }) =>
    rest.type === 'mqtt' && rest.topic !== DEVICE_TOPIC ? [{ name, topicFilter: rest.topic }] : [],
  );
  expect(topics.length).toBeGreaterThan(5);
  for (const each of topics) expect(findConvention(each.topicFilter)).toMatchObject(each);
});

test.each([
  ['Asia/Kolkata', 'Timezone +5:30; '],
  ['America/Phoenix', 'Timezone -7:00; '],
  ['Europe/Berlin', ''],
  ['Pacific/Kiritimati', ''],
])(
  'the console of Tasmota gets one line, with the offset of %s only if it is the same all year',
  (timeZone, command) => {
    const [console] = findTool('tasmota')!.settings;
    if (console?.kind !== 'code') throw new Error('no console');
    for (const { connection, target } of targets) {
      const line = fillTemplate(console.code, connection, { ...target, timeZone });
      expect(line).toBe(
        `Backlog TelePeriod 60; ${command}${connection.mqtt.tls ? 'SetOption103 1; ' : ''}Topic boiler-7; MqttHost penstock.example.com; MqttPort ${connection.mqtt.port}; MqttUser boiler-7; MqttPassword SECRET`,
      );
    }
  },
);

test.each(connectTools.map((tool) => [tool.id, tool] as const))(
  'the settings of %s name this server and the key, and leave no placeholder',
  (_, tool) => {
    for (const { connection, target } of targets) {
      const text = tool.settings
        .flatMap((setting) =>
          setting.kind === 'code' ? [setting.code] : setting.fields.map(({ value }) => value),
        )
        .map((template) => fillTemplate(template, connection, target))
        .join('\n');
      expect(text).toContain('SECRET');
      expect(text).toContain('penstock.example.com');
      expect(text).not.toMatch(/\{\{|%(tls|plain|one|any|offset|zone)%/);
      if (tool.via === 'mqtt') expect(text).toContain(String(connection.mqtt.port));
    }
  },
);

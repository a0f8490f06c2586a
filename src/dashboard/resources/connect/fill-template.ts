import type { Connection } from '#contract/service.ts';
import { nowMs } from '../../ui/browser/clock.ts';
import { fixedOffsetOf } from './fixed-offset.ts';

/** The placeholders in examples until a key or a pipeline exists. */
export const KEY_PLACEHOLDER = 'YOUR_API_KEY';
const PIPELINE_PLACEHOLDER = 'YOUR_PIPELINE';
const PORT_PLACEHOLDER = 'YOUR_MQTT_PORT';

/** The values that fill the settings of a tool, in addition to the addresses of the server. */
export type ConnectTarget = {
  /** The external ID of the device, or an example. */
  device: string;
  /** Whether the key is limited to the device. */
  isOneDevice: boolean;
  /** The secret; null: there is no key yet. */
  key: string | null;
  /** The `http` pipeline of the tool. */
  pipelineId: string | undefined;
  /** The time zone in which the pipeline reads local times. */
  timeZone: string | undefined;
};

/** The host name. An IPv6 address is without the brackets that it has in a URL. */
export const hostOf = ({ baseUrl }: Connection): string =>
  new URL(baseUrl).hostname.replace(/^\[(.*)\]$/, '$1');

/** Fills the placeholders of a template (`ConnectTool`). */
export const fillTemplate = (
  template: string,
  connection: Connection,
  { device, isOneDevice, key, pipelineId = PIPELINE_PLACEHOLDER, timeZone }: ConnectTarget,
): string => {
  const { baseUrl, mqtt } = connection;
  const utcOffset = timeZone === undefined ? undefined : fixedOffsetOf(timeZone, nowMs());
  const conditions: Record<string, boolean> = {
    tls: mqtt?.tls === true,
    plain: mqtt?.tls !== true,
    one: isOneDevice,
    any: !isOneDevice,
    offset: utcOffset !== undefined,
    zone: utcOffset === undefined,
  };
  const port = mqtt?.port ?? PORT_PLACEHOLDER;
  const values: Record<string, string> = {
    baseUrl,
    host: hostOf(connection),
    mqttPort: String(port),
    mqttUrl: `${mqtt?.tls === true ? 'mqtts' : 'mqtt'}://${new URL(baseUrl).hostname}:${port}`,
    key: key ?? KEY_PLACEHOLDER,
    device,
    utcOffset: utcOffset ?? '',
    timeZone: `the time zone of the pipeline${timeZone === undefined ? '' : ` (${timeZone})`}`,
    pipelineUrl: `${baseUrl}/v1/pipelines/${pipelineId}/messages`,
  };
  return template
    .split('\n')
    .flatMap((line) => {
      const [, required = '', rest = ''] =
        /^((?:%(?:tls|plain|one|any|offset|zone)%)*)(.*)$/.exec(line) ?? [];
      const isIncluded = required.split('%').every((name) => name === '' || conditions[name] === true);
      return isIncluded ? [rest] : [];
    })
    .join('\n')
    .replaceAll(/\{\{(\w+)\}\}/g, (placeholder, name: string) => values[name] ?? placeholder);
};

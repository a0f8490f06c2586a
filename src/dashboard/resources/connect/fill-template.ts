import type { Connection } from '#contract/service.ts';

/** The placeholders in examples until a key or a pipeline exists. */
export const KEY_PLACEHOLDER = 'YOUR_API_KEY';
const PIPELINE_PLACEHOLDER = 'YOUR_PIPELINE';
const PORT_PLACEHOLDER = 'YOUR_MQTT_PORT';

export type ConnectTarget = {
  connection: Connection;
  /** The external ID of the device, or an example. */
  device: string;
  isOneDevice: boolean;
  key: string | null;
  /** The `http` pipeline of the tool. */
  pipelineId: string | undefined;
};

/** An IPv6 address has brackets in a URL, and none elsewhere. */
export const hostOf = ({ baseUrl }: Connection): string =>
  new URL(baseUrl).hostname.replace(/^\[(.*)\]$/, '$1');

/** The text of a tool, for this server. Template and placeholders: `ConnectTool`. */
export const fillTemplate = (
  template: string,
  { connection, device, isOneDevice, key, pipelineId = PIPELINE_PLACEHOLDER }: ConnectTarget,
): string => {
  const { baseUrl, mqtt } = connection;
  const conditions: Record<string, boolean> = {
    tls: mqtt?.tls === true,
    plain: mqtt?.tls !== true,
    one: isOneDevice,
    any: !isOneDevice,
  };
  const port = mqtt?.port ?? PORT_PLACEHOLDER;
  const values: Record<string, string> = {
    baseUrl,
    host: hostOf(connection),
    mqttPort: String(port),
    mqttUrl: `${mqtt?.tls === true ? 'mqtts' : 'mqtt'}://${new URL(baseUrl).hostname}:${port}`,
    key: key ?? KEY_PLACEHOLDER,
    device,
    pipelineUrl: `${baseUrl}/v1/pipelines/${pipelineId}/messages`,
  };
  return template
    .split('\n')
    .flatMap((line) => {
      const [, condition, rest] = /^%(tls|plain|one|any)%(.*)$/.exec(line) ?? [];
      return condition === undefined ? [line] : conditions[condition] === true ? [rest ?? ''] : [];
    })
    .join('\n')
    .replaceAll(/\{\{(\w+)\}\}/g, (placeholder, name: string) => values[name] ?? placeholder);
};

import type { Mapping } from '#contract/pipelines.ts';

export const toolGroups = ['Devices', 'Hubs and flows', 'Agents', 'LoRaWAN', 'Your own code'] as const;
export type ToolGroup = (typeof toolGroups)[number];

/**
 * Text with placeholders: `{{baseUrl}}`, `{{host}}`, `{{mqttPort}}`, `{{mqttUrl}}`, `{{key}}`, `{{device}}`,
 * `{{pipelineUrl}}`, `{{timeZone}}` and `{{utcOffset}}`. A line that begins with conditions is left out if one of them is
 * false: `%tls%` (MQTT over TLS), `%plain%` (MQTT without TLS), `%one%` (a key for one device), `%any%` (a key for all
 * devices), `%offset%` (the time zone of the pipeline has the same offset all year), `%zone%` (the offset changes, or is
 * unknown).
 */
type Template = string;

export type ToolSetting =
  | { kind: 'code'; label: string; code: Template }
  /** Form fields, with the labels that the tool uses. */
  | { kind: 'fields'; label: string; fields: readonly { name: string; value: Template }[] };

/** A pipeline that receives the messages of a tool. */
export type ToolPipeline = {
  name: string;
  mapping?: Mapping;
  /** Messages have local times without a zone. */
  hasLocalTimes?: true;
} & ({ type: 'mqtt'; topic: string } | { type: 'http' });

/** Everything that Penstock knows about connecting a device or a tool. */
export type ConnectTool = {
  /** The name in URLs. */
  id: string;
  label: string;
  group: ToolGroup;
  /** What the tool sends, in one line. */
  summary: string;
  /** The documentation that the settings are from. */
  docs: string;
  /** The protocol. MQTT needs the embedded broker. */
  via: 'mqtt' | 'http';
  /** Whether the tool also subscribes to topics: the key then needs `telemetry:read`. */
  subscribes?: true;
  /** Left out: the tool writes to an endpoint that needs no pipeline. */
  pipelines?: readonly ToolPipeline[];
  /** The external ID in the settings for any device. Left out: `boiler-7`. */
  exampleDevice?: string;
  settings: readonly ToolSetting[];
  notes: readonly Template[];
  /** Whether a key that is limited to one device is enough. */
  suitsOneDevice?: true;
};

import type { Mapping } from '#contract/pipelines.ts';

export const toolGroups = ['Devices', 'Hubs and flows', 'Agents', 'LoRaWAN', 'Your own code'] as const;
export type ToolGroup = (typeof toolGroups)[number];

/**
 * Text with placeholders: `{{baseUrl}}`, `{{host}}`, `{{mqttPort}}`, `{{mqttUrl}}`, `{{key}}`, `{{device}}` and `{{pipelineUrl}}`. A line that
 * begins with `%tls%`, `%plain%` (no TLS), `%one%` (for one device) or `%any%` is left out where that does not apply.
 */
type Template = string;

export type ToolSetting =
  | { kind: 'code'; label: string; code: Template }
  /** What to enter in the forms of the tool, in its own words. */
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
  /** Its name in URLs. */
  id: string;
  label: string;
  group: ToolGroup;
  /** What it sends, in one line. */
  summary: string;
  /** The documentation that the settings are from. */
  docs: string;
  /** How it sends. MQTT needs the embedded broker. */
  via: 'mqtt' | 'http';
  /** Whether it subscribes too: its key then needs `telemetry:read`. */
  subscribes?: true;
  /** Left out: it writes to an address of its own. */
  pipelines?: readonly ToolPipeline[];
  settings: readonly ToolSetting[];
  notes: readonly string[];
  /** Whether a key that is limited to one device is enough. */
  suitsOneDevice?: true;
};

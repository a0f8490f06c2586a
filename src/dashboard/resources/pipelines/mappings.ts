import type { Mapping } from '#contract/pipelines.ts';

/** The mappings with their labels. */
export const mappings = [
  {
    value: 'auto',
    label: 'Automatic',
    detail: 'Detects JSON, SenML, Prometheus, LoRaWAN servers, Zigbee2MQTT, Tasmota, Shelly and other tools.',
  },
  { value: 'expression', label: 'Expression', detail: 'JSONata that maps any message to samples.' },
] as const satisfies readonly { value: Mapping['format']; label: string; detail: string }[];

export const mappingLabel = (format: string): string =>
  mappings.find(({ value }) => value === format)?.label ?? format;

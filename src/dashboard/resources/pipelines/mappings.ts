import type { Mapping } from '#contract/pipelines.ts';

/** The mappings with their labels. */
const mappings = [
  {
    value: 'auto',
    label: 'Automatic',
    detail: 'Detects JSON, LoRaWAN, Zigbee and more.',
  },
  { value: 'expression', label: 'Expression', detail: 'Maps any message with JSONata.' },
] as const satisfies readonly { value: Mapping['format']; label: string; detail: string }[];

/** What Automatic does with the messages of sources other than devices. */
const automaticDetails: Readonly<Record<string, string>> = {
  'http-poll': 'Detects JSON, Prometheus text and more.',
  modbus: 'Stores the value of each register.',
  host: 'Stores all metrics of this machine.',
};

/** The mappings for a type of pipelines. */
export const mappingsOf = (type: string) =>
  mappings.map(({ value, label, detail }) => ({
    value,
    label,
    detail: value === 'auto' ? (automaticDetails[type] ?? detail) : detail,
  }));

export const mappingLabel = (format: string): string =>
  mappings.find(({ value }) => value === format)?.label ?? format;

import type { Mapping } from '#contract/pipelines.ts';

/** The mappings with their labels. */
export const mappings = [
  {
    value: 'auto',
    label: 'Automatic',
    detail: 'Detects JSON, LoRaWAN, Zigbee and more.',
  },
  { value: 'expression', label: 'Expression', detail: 'Maps any message with JSONata.' },
] as const satisfies readonly { value: Mapping['format']; label: string; detail: string }[];

export const mappingLabel = (format: string): string =>
  mappings.find(({ value }) => value === format)?.label ?? format;

/** The metrics of a machine, with their units. */
export const HOST_UNITS = {
  'cpu.usage': '%',
  'cpu.load1': null,
  'cpu.temperature': '°C',
  'memory.used': 'B',
  'memory.usage': '%',
  'swap.used': 'B',
  'swap.usage': '%',
  'disk.usage': '%',
  'disk.data.usage': '%',
  'disk.read': 'B/s',
  'disk.write': 'B/s',
  'network.received': 'B/s',
  'network.sent': 'B/s',
  'system.uptime': 's',
} as const;

/** What a machine does not have, or not yet, is undefined. */
export type HostValues = { readonly [metric in keyof typeof HOST_UNITS]?: number | null | undefined };

/** A part of a whole in percent. */
export const percentage = (part: number, whole: number): number => (100 * part) / whole;

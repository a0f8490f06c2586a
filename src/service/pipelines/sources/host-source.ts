import { statfs } from 'node:fs/promises';
import { hostname, loadavg, uptime } from 'node:os';
import si from 'systeminformation';
import { slugOf } from '#contract/text.ts';
import { source } from './source.ts';

const UNITS = {
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
type Metric = keyof typeof UNITS;

/** Two decimals exceed the accuracy of all these values. */
const rounded = (value: number): number => Math.round(value * 100) / 100;
const share = (part: number, whole: number): number => (100 * part) / whole;

/** The used share of a file system for users other than root, as `df` computes it. */
const diskUsage = async (path: string): Promise<number> => {
  const { blocks, bfree, bavail } = await statfs(path);
  return share(blocks - bfree, blocks - bfree + bavail);
};

/** Omits negative rates, which mean that a disk or an interface was removed since the previous reading. */
const rate = (perSecond: number | null | undefined): number | undefined =>
  typeof perSecond === 'number' && perSecond >= 0 ? perSecond : undefined;

/** The current values of the machine. Values that it does not have, or not yet, are omitted. */
const readHost = async (dataDir: string): Promise<Partial<Record<Metric, number>>> => {
  const [load, memory, disks, network, temperature, rootUsage, dataUsage] = await Promise.all([
    si.currentLoad(),
    si.mem(),
    si.fsStats(),
    si.networkStats(),
    si.cpuTemperature(),
    diskUsage('/'),
    diskUsage(dataDir),
  ]);
  const [defaultInterface] = network;
  // Without caches of the kernel. In a container, the total may be a limit, which is less than the machine has available.
  const memoryUsed = Math.max(0, memory.total - memory.available);
  const hasSwap = memory.swaptotal > 0;
  const read: Record<Metric, number | null | undefined> = {
    'cpu.usage': load.currentLoad,
    'cpu.load1': loadavg()[0],
    'cpu.temperature': temperature.main,
    'memory.used': memoryUsed,
    'memory.usage': share(memoryUsed, memory.total),
    'swap.used': hasSwap ? memory.swapused : undefined,
    'swap.usage': hasSwap ? share(memory.swapused, memory.swaptotal) : undefined,
    'disk.usage': rootUsage,
    'disk.data.usage': dataUsage,
    // Rates require a previous reading.
    'disk.read': rate(disks?.rx_sec),
    'disk.write': rate(disks?.wx_sec),
    'network.received': rate(defaultInterface?.rx_sec),
    'network.sent': rate(defaultInterface?.tx_sec),
    'system.uptime': uptime(),
  };
  return Object.fromEntries(
    Object.entries(read).flatMap(([metric, value]) =>
      typeof value === 'number' && Number.isFinite(value) ? [[metric, rounded(value)]] : [],
    ),
  );
};

const ownExternalId = (): string => slugOf(hostname(), 128) || 'host';

export const hostSource = source({
  type: 'host',
  kind: 'polled',
  label: 'This machine',
  description: 'Reads CPU, memory, disk and network.',
  isLocal: () => true,
  open: ({ config, dataDir, submit }) => {
    const device = config.device ?? ownExternalId();
    const deviceNames = new Map([[device, hostname()]]);
    const units = new Map(
      Object.entries(UNITS).flatMap(([metric, unit]) =>
        unit === null ? [] : [[`${device}/${metric}`, unit]],
      ),
    );
    return async () => {
      const bytes = Buffer.from(JSON.stringify({ device, values: await readHost(dataDir) }));
      await submit({ bytes, topic: null, device, deviceNames, units });
    };
  },
});

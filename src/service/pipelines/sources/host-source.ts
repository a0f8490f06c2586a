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
const unitOf = (metric: string): string | null =>
  new Map<string, string | null>(Object.entries(UNITS)).get(metric) ?? null;

/** Two decimals are more than any of these is exact to. */
const rounded = (value: number): number => Math.round(value * 100) / 100;
const share = (part: number, whole: number): number => (100 * part) / whole;

/** How full a file system is for those who are not root, as `df` reckons it. */
const diskUsage = async (path: string): Promise<number> => {
  const { blocks, bfree, bavail } = await statfs(path);
  return share(blocks - bfree, blocks - bfree + bavail);
};

/** A rate below zero means that a disk or an interface went away since the reading before. */
const rate = (perSecond: number | null | undefined): number | undefined =>
  typeof perSecond === 'number' && perSecond >= 0 ? perSecond : undefined;

/** What the machine says of itself now. What it does not have, or cannot say yet, is absent rather than zero. */
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
  // Used as people mean it: what programs hold, not what the kernel caches.
  const memoryUsed = memory.total - memory.available;
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
    // Rates need a reading before this one.
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
  description: 'CPU, memory, load, disk, network and temperature of the machine this service runs on.',
  open: ({ config, dataDir, telemetry, take }) => {
    const described = new Set<string>();

    /** Says what each new metric is measured in, where nobody has said otherwise. */
    const describe = async (deviceId: string, metrics: readonly string[]) => {
      const fresh = metrics.filter((metric) => !described.has(metric));
      if (fresh.length === 0) return;
      for (const { metric, unit } of await telemetry.metrics([deviceId], fresh))
        if (unit === null && unitOf(metric) !== null)
          await telemetry.describe(deviceId, metric, { unit: unitOf(metric) });
      for (const metric of fresh) described.add(metric);
    };

    return async () => {
      const device = config.device ?? ownExternalId();
      const values = await readHost(dataDir);
      const bytes = Buffer.from(JSON.stringify({ device, values }));
      const deviceNames = new Map([[device, hostname()]]);
      const { seenDevices } = await take({ bytes, topic: null, device, deviceNames });
      const [deviceId] = seenDevices;
      if (deviceId !== undefined) await describe(deviceId, Object.keys(values));
    };
  },
});

import { statfs } from 'node:fs/promises';
import { hostname, loadavg, uptime } from 'node:os';
import { slugOf } from '#contract/slug-of.ts';
import { HOST_UNITS, percentage, type HostValues } from './host-metrics.ts';
import { createLinuxHost } from './linux-host.ts';
import { source } from './source.ts';

/** Two decimals exceed the accuracy of all these values. */
const rounded = (value: number): number => Math.round(value * 100) / 100;

/** The used share of a file system for users other than root, as `df` computes it. */
const diskUsage = async (path: string): Promise<number> => {
  const { blocks, bfree, bavail } = await statfs(path);
  return percentage(blocks - bfree, blocks - bfree + bavail);
};

/** Omits negative rates, which mean that a disk or an interface was removed since the previous reading. */
const rate = (perSecond: number | null | undefined): number | undefined =>
  typeof perSecond === 'number' && perSecond >= 0 ? perSecond : undefined;

/** For systems other than Linux. Starts processes. */
const readWithLibrary = async (): Promise<HostValues> => {
  const { default: si } = await import('systeminformation');
  const [load, memory, disks, network, temperature] = await Promise.all([
    si.currentLoad(),
    si.mem(),
    si.fsStats(),
    si.networkStats(),
    si.cpuTemperature(),
  ]);
  const [defaultInterface] = network;
  const memoryUsed = Math.max(0, memory.total - memory.available);
  const hasSwap = memory.swaptotal > 0;
  return {
    'cpu.usage': load.currentLoad,
    'cpu.temperature': temperature.main,
    'memory.used': memoryUsed,
    'memory.usage': percentage(memoryUsed, memory.total),
    'swap.used': hasSwap ? memory.swapused : undefined,
    'swap.usage': hasSwap ? percentage(memory.swapused, memory.swaptotal) : undefined,
    'disk.read': rate(disks?.rx_sec),
    'disk.write': rate(disks?.wx_sec),
    'network.received': rate(defaultInterface?.rx_sec),
    'network.sent': rate(defaultInterface?.tx_sec),
  };
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
      Object.entries(HOST_UNITS).flatMap(([metric, unit]) =>
        unit === null ? [] : [[`${device}/${metric}`, unit]],
      ),
    );
    const readMachine = process.platform === 'linux' ? createLinuxHost() : readWithLibrary;
    return async () => {
      const [machine, rootUsage, dataUsage] = await Promise.all([
        readMachine(),
        diskUsage('/'),
        diskUsage(dataDir),
      ]);
      const read: HostValues = {
        ...machine,
        'cpu.load1': loadavg()[0],
        'disk.usage': rootUsage,
        'disk.data.usage': dataUsage,
        'system.uptime': uptime(),
      };
      const values = Object.fromEntries(
        Object.entries(read).flatMap(([metric, value]) =>
          typeof value === 'number' && Number.isFinite(value) ? [[metric, rounded(value)]] : [],
        ),
      );
      const bytes = Buffer.from(JSON.stringify({ device, values }));
      await submit({ bytes, topic: null, device, deviceNames, units });
    };
  },
});

import { readdir, readFile, realpath } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { percentage, type HostValues } from './host-metrics.ts';

/** The first reading has no previous one to compare with, so it takes this long. */
const FIRST_READING_MS = 500;
/** Of `/proc/diskstats`, whatever the sectors of the disk are. */
const BYTES_PER_SECTOR = 512;

type Counters = {
  readonly at: number;
  readonly cpu: { busy: number; total: number };
  /** By name. */
  readonly disks: ReadonlyMap<string, { read: number; written: number }>;
  readonly network: { name: string; received: number; sent: number } | undefined;
};

const lines = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');
const fields = (line: string): string[] => line.trim().split(/\s+/);

/** An empty text if there is no such file, or it has no value now, as with a sensor that is switched off. */
const readIfAny = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');
const listIfAny = (path: string): Promise<string[]> => readdir(path).catch(() => []);

/** As `top` computes it: waiting for disks is idle time, and time of guests is part of the time of users. */
const cpuTimes = (stat: string): Counters['cpu'] => {
  const [, ...times] = fields(lines(stat)[0] ?? '');
  const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, softIrq = 0, steal = 0] =
    times.map(Number);
  const busy = user + nice + system + irq + softIrq + steal;
  return { busy, total: busy + idle + waiting };
};

/** In bytes. */
const memoryOf = (meminfo: string): Map<string, number> =>
  new Map(
    lines(meminfo).map((line) => {
      const [name = '', kibibytes] = line.split(':');
      return [name, 1024 * Number.parseInt(kibibytes ?? '', 10)];
    }),
  );

/** Btrfs mounts a number of its own in place of the disk's. The path of the disk may be a link, as with LVM. */
const nameOfSource = async (path: string): Promise<string> =>
  basename(await realpath(path).catch(() => path));

/** The mounted disks and partitions: by number, or by name where the mount has another number. */
const findMounted = async (mountinfo: string) => {
  const mounts = lines(mountinfo).map((line) => {
    const [mount = '', source = ''] = line.split(' - ');
    return { number: fields(mount)[2] ?? '', type: fields(source)[0], source: fields(source)[1] ?? '' };
  });
  const named = mounts.filter(({ number, source }) => number.startsWith('0:') && source.startsWith('/dev/'));
  return {
    numbers: new Set(mounts.map(({ number }) => number)),
    names: new Set(await Promise.all([...new Set(named.map(({ source }) => source))].map(nameOfSource))),
    hasZfs: mounts.some(({ type }) => type === 'zfs'),
  };
};

/** Of IPv4, with the best metric. A machine without such a route uses its first interface to other machines. */
const defaultInterface = (routes: string): string | undefined =>
  lines(routes)
    .map((line) => fields(line))
    .filter(([, target, , , , , , mask]) => target === '00000000' && mask === '00000000')
    .map(([name, , , , , , metric]) => ({ name, metric: Number(metric) }))
    .toSorted((a, b) => a.metric - b.metric)[0]?.name ??
  Object.entries(networkInterfaces()).find(([, addresses]) =>
    addresses?.some(({ internal }) => !internal),
  )?.[0];

const trafficOf = (devices: string, name: string | undefined): Counters['network'] => {
  const line = lines(devices).find((candidate) => candidate.trim().startsWith(`${name}:`));
  if (name === undefined || line === undefined) return undefined;
  const numbers = fields(line.slice(line.indexOf(':') + 1)).map(Number);
  return { name, received: numbers[0] ?? 0, sent: numbers[8] ?? 0 };
};

/** Which sensor is the CPU's, in the order of preference: the whole package, then its parts. */
const CPU_SENSORS = [/^tdie/i, /^tctl/i, /package|physical/i, /^tccd1/i];
const CORE = /^core /i;

/**
 * Reads the machine from `/proc` and `/sys`, which starts no process. Rates are those
 * since the previous reading.
 */
export const createLinuxHost = ({
  proc = '/proc',
  sys = '/sys',
  udev = '/run/udev/data',
}: {
  proc?: string;
  sys?: string;
  udev?: string;
} = {}): (() => Promise<HostValues>) => {
  let previous: Counters | undefined;

  /** A pool of ZFS is mounted in place of its disks, which udev knows. The pool's own volumes (`zd0`) would count twice. */
  const isInPool = async (name: string, number: string): Promise<boolean> =>
    !name.startsWith('zd') &&
    (await readIfAny(join(udev, `b${number}`))).includes('\nE:ID_FS_TYPE=zfs_member\n');

  const readDisks = async (): Promise<Counters['disks']> => {
    const [stats, mountinfo] = await Promise.all([
      readIfAny(join(proc, 'diskstats')),
      readIfAny(join(proc, 'self/mountinfo')),
    ]);
    const mounted = await findMounted(mountinfo);
    const disks = await Promise.all(
      lines(stats).map(async (line) => {
        const [major, minor, name = '', , , read, , , , written] = fields(line);
        const number = `${major}:${minor}`;
        const isCounted =
          mounted.numbers.has(number) ||
          mounted.names.has(name) ||
          (mounted.hasZfs && (await isInPool(name, number)));
        return { name, isCounted, read: Number(read), written: Number(written) };
      }),
    );
    return new Map(disks.filter(({ isCounted }) => isCounted).map((disk) => [disk.name, disk]));
  };

  const readCounters = async (): Promise<Counters> => {
    const [stat, disks, routes, devices] = await Promise.all([
      readFile(join(proc, 'stat'), 'utf8'),
      readDisks(),
      readIfAny(join(proc, 'net/route')),
      readIfAny(join(proc, 'net/dev')),
    ]);
    const network = trafficOf(devices, defaultInterface(routes));
    return { at: performance.now(), cpu: cpuTimes(stat), disks, network };
  };

  /** Degrees Celsius. */
  const readTemperature = async (path: string): Promise<number | undefined> => {
    const text = await readIfAny(path);
    return text === '' ? undefined : Number(text) / 1000;
  };

  const readCpuSensors = async (): Promise<number | undefined> => {
    const monitors = join(sys, 'class/hwmon');
    const sensors = await Promise.all(
      (await listIfAny(monitors)).map(async (monitor) => {
        const names = (await listIfAny(join(monitors, monitor))).filter((name) =>
          /^temp\d+_label$/.test(name),
        );
        return Promise.all(
          names.map(async (name) => ({
            label: (await readIfAny(join(monitors, monitor, name))).trim(),
            input: join(monitors, monitor, name.replace('label', 'input')),
          })),
        );
      }),
    ).then((found) => found.flat());
    for (const pattern of CPU_SENSORS) {
      const sensor = sensors.find(({ label }) => pattern.test(label));
      const temperature = sensor === undefined ? undefined : await readTemperature(sensor.input);
      if (temperature !== undefined) return temperature;
    }
    const cores = await Promise.all(
      sensors.filter(({ label }) => CORE.test(label)).map(({ input }) => readTemperature(input)),
    );
    const known = cores.filter((temperature) => temperature !== undefined);
    return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length;
  };

  /** For small boards, whose CPU has a thermal zone but no labelled sensor. */
  const readCpuZone = async (): Promise<number | undefined> => {
    const folder = join(sys, 'class/thermal');
    const zones = await Promise.all(
      (await listIfAny(folder))
        .filter((name) => name.startsWith('thermal_zone'))
        .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
        .map(async (name) => ({
          path: join(folder, name),
          type: await readIfAny(join(folder, name, 'type')),
        })),
    );
    const zone = zones.find(({ type }) => /cpu/i.test(type)) ?? zones[0];
    return zone === undefined ? undefined : readTemperature(join(zone.path, 'temp'));
  };

  const ratesSince = (before: Counters, now: Counters): HostValues => {
    const seconds = (now.at - before.at) / 1000;
    /** Of the disks that both readings have. One that was removed and added counts from zero. */
    const diskRate = (direction: 'read' | 'written'): number | undefined => {
      const changes = [...now.disks].flatMap(([name, disk]) => {
        const change = disk[direction] - (before.disks.get(name)?.[direction] ?? Number.NaN);
        return change >= 0 ? [change] : [];
      });
      if (changes.length === 0) return undefined;
      return (BYTES_PER_SECTOR * changes.reduce((sum, change) => sum + change, 0)) / seconds;
    };
    const networkRate = (direction: 'received' | 'sent'): number | undefined => {
      if (now.network === undefined || now.network.name !== before.network?.name) return undefined;
      const change = now.network[direction] - before.network[direction];
      return change >= 0 ? change / seconds : undefined;
    };
    const ticks = now.cpu.total - before.cpu.total;
    return {
      'cpu.usage': ticks > 0 ? percentage(now.cpu.busy - before.cpu.busy, ticks) : undefined,
      'disk.read': diskRate('read'),
      'disk.write': diskRate('written'),
      'network.received': networkRate('received'),
      'network.sent': networkRate('sent'),
    };
  };

  return async () => {
    if (previous === undefined) {
      previous = await readCounters();
      await setTimeout(FIRST_READING_MS);
    }
    const before = previous;
    const [counters, meminfo, sensors] = await Promise.all([
      readCounters(),
      readFile(join(proc, 'meminfo'), 'utf8'),
      readCpuSensors(),
    ]);
    previous = counters;
    const memory = memoryOf(meminfo);
    const total = memory.get('MemTotal') ?? Number.NaN;
    // Without caches of the kernel. In a container, the total may be a limit, which is less than the machine has available.
    const used = Math.max(0, total - (memory.get('MemAvailable') ?? Number.NaN));
    const swapTotal = memory.get('SwapTotal') ?? 0;
    const swapUsed = swapTotal - (memory.get('SwapFree') ?? 0);
    return {
      ...ratesSince(before, counters),
      'cpu.temperature': sensors ?? (await readCpuZone()),
      'memory.used': used,
      'memory.usage': percentage(used, total),
      ...(swapTotal > 0 && { 'swap.used': swapUsed, 'swap.usage': percentage(swapUsed, swapTotal) }),
    };
  };
};

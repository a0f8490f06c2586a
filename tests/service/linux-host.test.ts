import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createLinuxHost } from '#service/pipelines/sources/linux-host.ts';

type Files = Record<string, string>;

/** Files as Linux shows them. `read` reads the machine, `write` changes it. */
const machine = (files: Files) => {
  const root = mkdtempSync(join(tmpdir(), 'penstock-host-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const write = (changed: Files) => {
    for (const [name, text] of Object.entries(changed)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
  };
  write(files);
  const [proc, sys, udev] = ['proc', 'sys', 'udev'].map((name) => join(root, name));
  if (proc === undefined || sys === undefined || udev === undefined) throw new Error('No folders');
  return { write, read: createLinuxHost({ proc, sys, udev }) };
};

const mount = (number: string, source: string, type = 'ext4'): string =>
  `27 1 ${number} / /mnt/a\\040b rw,relatime shared:1 - ${type} ${source} rw`;
const disk = (number: string, name: string, sectorsRead: number, sectorsWritten: number): string =>
  `   ${number.replace(':', '       ')} ${name} 545758 43828 ${sectorsRead} 1227104 136802 1033914 ${sectorsWritten} 198931 0 107128 1458622`;
const traffic = (name: string, received: number, sent: number): string =>
  `${name.padStart(6)}: ${received} 91282 0 0 0 0 0 0 ${sent} 66419 0 0 0 0 0 0`;
const route = (name: string, target: string, metric: number): string =>
  `${name}\t${target}\t010200C0\t0003\t0\t0\t${metric}\t${target === '00000000' ? '00000000' : '00FFFFFF'}\t0\t0\t0`;

const SERVER: Files = {
  'proc/stat': 'cpu  1000 100 500 8000 200 50 50 100 300 0\ncpu0 1000 100 500 8000 200 50 50 100 300 0\n',
  'proc/meminfo':
    'MemTotal:        8000000 kB\nMemFree:          500000 kB\nMemAvailable:    6000000 kB\nSwapTotal:       1000000 kB\nSwapFree:         750000 kB\n',
  'proc/self/mountinfo': `${mount('8:1', '/dev/sda1')}\n${mount('0:21', 'proc', 'proc')}\n`,
  'proc/diskstats': `${disk('8:0', 'sda', 9000, 9000)}\n${disk('8:1', 'sda1', 1000, 2000)}\n${disk('8:16', 'sdb', 0, 0)}\n`,
  'proc/net/route': `Iface\tDestination\n${route('eth0', '000200C0', 0)}\n${route('wlan0', '00000000', 600)}\n${route('eth0', '00000000', 100)}\n`,
  'proc/net/dev': `Inter-|   Receive\n face |bytes\n${traffic('lo', 5, 5)}\n${traffic('eth0', 7000, 3000)}\n${traffic('wlan0', 1, 1)}\n`,
};

test('usage and rates are those since the previous reading', async () => {
  const { read, write } = machine(SERVER);
  const before = performance.now();
  await read();
  write({
    // 30 of 100 ticks; waiting for a disk is idle, and guests are part of the users.
    'proc/stat': 'cpu  1010 105 505 8060 210 53 52 105 310 0\n',
    'proc/diskstats': `${disk('8:0', 'sda', 99_000, 99_000)}\n${disk('8:1', 'sda1', 3000, 6000)}\n${disk('8:16', 'sdb', 800, 800)}\n`,
    'proc/net/dev': `${traffic('lo', 5, 5)}\n${traffic('eth0', 9000, 9000)}\n${traffic('wlan0', 500, 500)}\n`,
  });
  const values = await read();
  const atLeast = (bytes: number) => (1000 * bytes) / (performance.now() - before);
  expect(values['cpu.usage']).toBe(30);
  expect(values['disk.read']).toBeGreaterThan(atLeast(2000 * 512));
  // Twice as many sectors, and three times as many bytes, in the same time.
  expect(values['disk.write']).toBeCloseTo(2 * Number(values['disk.read']), 3);
  expect(values['network.received']).toBeGreaterThan(atLeast(2000));
  expect(values['network.sent']).toBeCloseTo(3 * Number(values['network.received']), 3);
  expect(Number(values['disk.read']) / Number(values['network.received'])).toBeCloseTo(512, 3);
});

test('memory and swap exclude what the kernel can free', async () => {
  const { read, write } = machine(SERVER);
  expect(await read()).toMatchObject({
    'memory.used': 2_000_000 * 1024,
    'memory.usage': 25,
    'swap.used': 250_000 * 1024,
    'swap.usage': 25,
  });
  write({ 'proc/meminfo': 'MemTotal: 1000 kB\nMemAvailable: 2000 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n' });
  const values = await read();
  expect(values).toMatchObject({ 'memory.used': 0, 'memory.usage': 0 });
  expect(values).not.toHaveProperty('swap.used');
});

test('the first reading has rates', async () => {
  expect(await machine(SERVER).read()).toMatchObject({
    'disk.read': 0,
    'disk.write': 0,
    'network.received': 0,
    'network.sent': 0,
  });
});

test('a disk that was added, removed or replaced changes no rate', async () => {
  const { read, write } = machine({
    ...SERVER,
    'proc/self/mountinfo': ['8:1', '8:17', '8:33'].map((number) => mount(number, '/dev/sdx')).join('\n'),
    'proc/diskstats': `${disk('8:1', 'sda1', 10, 10)}\n${disk('8:17', 'sdb1', 500, 500)}\n`,
  });
  await read();
  write({ 'proc/diskstats': `${disk('8:1', 'sda1', 10, 10)}\n${disk('8:33', 'sdc1', 900, 900)}\n` });
  expect(await read()).toMatchObject({ 'disk.read': 0, 'disk.write': 0 });
  write({ 'proc/diskstats': `${disk('8:1', 'sda1', 10, 10)}\n${disk('8:33', 'sdc1', 1, 1)}\n` });
  expect(await read()).toMatchObject({ 'disk.read': 0, 'disk.write': 0 });
  write({ 'proc/diskstats': '' });
  expect((await read())['disk.read']).toBeUndefined();
});

test('another default interface has no rate until the next reading', async () => {
  const { read, write } = machine(SERVER);
  await read();
  write({ 'proc/net/route': `${route('wlan0', '00000000', 600)}\n` });
  expect((await read())['network.received']).toBeUndefined();
  expect((await read())['network.received']).toBe(0);
});

test('disks of Btrfs, LVM and ZFS count, and what they are below or above of does not', async () => {
  const stats = (sectors: Record<string, number>) =>
    [
      disk('8:1', 'sda1', sectors.btrfs ?? 0, 0),
      disk('253:0', 'dm-0', sectors.lvm ?? 0, 0),
      disk('8:17', 'sdb1', sectors.below ?? 0, 0),
      disk('8:33', 'sdc1', sectors.zfs ?? 0, 0),
      disk('230:0', 'zd0', sectors.above ?? 0, 0),
    ].join('\n');
  const { read, write } = machine({
    ...SERVER,
    'proc/diskstats': stats({}),
    'udev/b8:33': 'S:disk/by-label/tank\nE:ID_FS_TYPE=zfs_member\nE:ID_FS_USAGE=filesystem\n',
    'udev/b230:0': 'E:A=1\nE:ID_FS_TYPE=zfs_member\n',
  });
  write({
    'proc/self/mountinfo': [
      mount('0:30', '/dev/sda1', 'btrfs'),
      mount('0:30', '/dev/sda1', 'btrfs'),
      mount('253:0', '/dev/mapper/vg-data'),
      mount('0:31', 'tank/data', 'zfs'),
    ].join('\n'),
  });
  await read();
  const rateOf = async (sectors: Record<string, number>) => {
    write({ 'proc/diskstats': stats(sectors) });
    return Number((await read())['disk.read']) > 0;
  };
  expect(await rateOf({ btrfs: 8 })).toBe(true);
  expect(await rateOf({ btrfs: 8, lvm: 8 })).toBe(true);
  expect(await rateOf({ btrfs: 8, lvm: 8, zfs: 8 })).toBe(true);
  expect(await rateOf({ btrfs: 8, lvm: 8, zfs: 8, below: 8, above: 8 })).toBe(false);
});

test.each<[string, Files, number | undefined]>([
  [
    'the package of an Intel CPU',
    {
      'sys/class/hwmon/hwmon0/temp1_label': 'Composite\n',
      'sys/class/hwmon/hwmon0/temp1_input': '30000\n',
      'sys/class/hwmon/hwmon1/temp1_label': 'Core 0\n',
      'sys/class/hwmon/hwmon1/temp1_input': '51000\n',
      'sys/class/hwmon/hwmon1/temp2_label': 'Package id 0\n',
      'sys/class/hwmon/hwmon1/temp2_input': '52500\n',
    },
    52.5,
  ],
  [
    'the die of an AMD CPU, without the offset of Tctl',
    {
      'sys/class/hwmon/hwmon0/temp1_label': 'Tctl\n',
      'sys/class/hwmon/hwmon0/temp1_input': '70000\n',
      'sys/class/hwmon/hwmon0/temp2_label': 'Tdie\n',
      'sys/class/hwmon/hwmon0/temp2_input': '43250\n',
    },
    43.25,
  ],
  [
    'the mean of the cores where the package has no sensor',
    {
      'sys/class/hwmon/hwmon0/temp2_label': 'Core 0\n',
      'sys/class/hwmon/hwmon0/temp2_input': '40000\n',
      'sys/class/hwmon/hwmon0/temp3_label': 'Core 1\n',
      'sys/class/hwmon/hwmon0/temp3_input': '42000\n',
    },
    41,
  ],
  [
    'the zone of the CPU of a small board',
    {
      'sys/class/thermal/thermal_zone0/type': 'gpu-thermal\n',
      'sys/class/thermal/thermal_zone0/temp': '60000\n',
      'sys/class/thermal/thermal_zone10/type': 'cpu-thermal\n',
      'sys/class/thermal/thermal_zone10/temp': '48312\n',
      'sys/class/thermal/cooling_device0/type': 'cpu\n',
    },
    48.312,
  ],
  ['nothing without sensors', {}, undefined],
])('the temperature is that of %s', async (_, files, expected) => {
  expect((await machine({ ...SERVER, ...files }).read())['cpu.temperature']).toBe(expected);
});

import { expect, it } from 'vitest';
import { sortByRelevance } from '#contract/first-metric.ts';

const metric = (name: string, unit: string | null) => ({
  metric: name,
  kind: 'number' as const,
  unit,
  metricType: 'gauge' as const,
});

it('the load of a machine comes before its parts, of one processor or of idle time', () => {
  const names = ['cpu0.usage_user', 'cpu-total.usage_guest', 'cpu-total.usage_idle', 'cpu-total.usage_user'];
  const metrics = [
    ...names.map((name) => metric(`cpu.cpu.${name}`, '%')),
    metric('disk.device.vda1.inodes_used_percent', '%'),
    metric('mem.used_percent', '%'),
  ];
  const first = sortByRelevance(metrics).map(({ metric: name }) => name);
  expect(first.slice(0, 2)).toEqual(['cpu.cpu.cpu-total.usage_user', 'mem.used_percent']);
});

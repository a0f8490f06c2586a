/**
 * The unit of a metric of Telegraf whose name does not state it: `cpu.cpu.cpu0.usage_idle` is in percent. undefined: none.
 * Source: https://github.com/influxdata/telegraf/blob/master/plugins/inputs/cpu/README.md
 */
export const telegrafUnitOf = (metric: string): string | undefined =>
  metric.startsWith('cpu.') && /\.usage_[a-z_]+$/.test(metric) ? '%' : undefined;

/** The fields of a plugin, the last part of a metric, that are in a unit which their names do not state. */
const PLUGINS: readonly { readonly plugin: string; readonly field: RegExp; readonly unit: string }[] = [
  { plugin: 'cpu.', field: /^usage_[a-z_]+$/, unit: '%' },
  {
    plugin: 'mem.',
    field:
      /^(total|available|used|free|active|inactive|buffered|cached|shared|slab|sreclaimable|sunreclaim|wired|laundry|commit_limit|committed_as|dirty|mapped|page_tables|write_back|write_back_tmp|huge_page_size|(high|low|swap|vmalloc)_[a-z]+)$/,
    unit: 'B',
  },
  { plugin: 'swap.', field: /^(total|used|free|in|out)$/, unit: 'B' },
  { plugin: 'disk.', field: /^(total|used|free)$/, unit: 'B' },
  { plugin: 'diskio.', field: /^(read_time|write_time|io_time|weighted_io_time)$/, unit: 'ms' },
  { plugin: 'net.', field: /^bytes_(sent|recv)$/, unit: 'B' },
  { plugin: 'system.', field: /^uptime$/, unit: 's' },
];

/**
 * The unit of a metric of Telegraf whose name does not state it: `cpu.cpu.cpu0.usage_idle` is in percent. undefined: none.
 * Source: https://github.com/influxdata/telegraf/tree/master/plugins/inputs, the README of each plugin.
 */
export const telegrafUnitOf = (metric: string): string | undefined => {
  const field = metric.slice(metric.lastIndexOf('.') + 1);
  return PLUGINS.find((each) => metric.startsWith(each.plugin) && each.field.test(field))?.unit;
};

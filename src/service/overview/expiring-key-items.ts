import type { ExpiringKeys } from '../access/expiring-keys.ts';
import { listNames, NO_DETAILS, type KnownItem } from './attention-items.ts';

const HOUR_MS = 3_600_000;
const plural = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? '' : 's'}`;

/** The time left in whole days or hours: “3 days”, “5 hours”. */
const describeLeft = (leftMs: number): string => {
  const hours = Math.floor(leftMs / HOUR_MS);
  if (hours >= 24) return plural(Math.floor(hours / 24), 'day');
  return hours === 0 ? 'less than an hour' : plural(hours, 'hour');
};

/** One item for each key, or one item for all keys if there are many. */
export const expiringKeyItems = ({ first, total, areFew }: ExpiringKeys, nowMs: number): KnownItem[] => {
  const [next] = first;
  if (next === undefined) return [];
  const common = { ...NO_DETAILS, kind: 'api-key-expiring', severity: 'warning' } as const;
  if (areFew)
    return first.map(({ id, name, expiresAtMs, usedFrom }) => ({
      ...common,
      id: `expiring ${id}`,
      subject: { type: 'api-key', id, name },
      detail: `In ${describeLeft(expiresAtMs - nowMs)}.${usedFrom === null ? '' : ` Last used from ${usedFrom}.`}`,
      count: 1,
    }));
  const names = listNames(first.slice(0, 3).map(({ name }) => name));
  return [
    {
      ...common,
      id: 'expiring',
      detail: `The first in ${describeLeft(next.expiresAtMs - nowMs)}: ${names}.`,
      count: total,
    },
  ];
};

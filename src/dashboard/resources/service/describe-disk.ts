import type { Storage } from '#contract/storage.ts';

const states = {
  writable: 'Accepts data',
  full: 'Full: new data is rejected',
  'read-only': 'Read-only: new data is rejected',
} as const satisfies Record<Storage['state'], string>;

/** Whether the disk accepts data, in words. */
export const describeDisk = ({ state, low }: Pick<Storage, 'state' | 'low'>): string =>
  state === 'writable' && low ? 'Low disk space' : states[state];

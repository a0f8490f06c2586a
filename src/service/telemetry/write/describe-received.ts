import { escapeHiding } from '../../platform/escape-hiding.ts';
import { SHOWN_CHARACTERS, shorten } from '../../platform/shorten.ts';

const textOf = (value: unknown): string => {
  if (typeof value === 'string') return escapeHiding(JSON.stringify(shorten(value, SHOWN_CHARACTERS)));
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'number' || typeof value === 'boolean' || value === null
    ? String(value)
    : 'an object';
};

/** The detail of a rejection, with what was received instead of an accepted value. `detail`: a full sentence. */
export const describeReceived = (detail: string, value: unknown): string =>
  value === undefined ? detail : `${detail} Received ${textOf(value)}.`;

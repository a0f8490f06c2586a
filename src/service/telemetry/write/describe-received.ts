import { SHOWN_CHARACTERS, shorten } from '../../platform/shorten.ts';

/** The detail of a rejection, with what was received instead of an accepted value. `detail`: a full sentence. */
export const describeReceived = (detail: string, value: unknown): string => {
  if (value === undefined) return detail;
  if (typeof value === 'string')
    return `${detail} Received ${JSON.stringify(shorten(value, SHOWN_CHARACTERS))}.`;
  const isSimple = typeof value !== 'object' || value === null;
  return `${detail} Received ${isSimple ? String(value) : Array.isArray(value) ? 'a list' : 'an object'}.`;
};

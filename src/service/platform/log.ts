import { pino, type DestinationStream, type Logger } from 'pino';
import { isUnwritable } from './storage/disk-full.ts';
import { DatabaseUnavailable } from './storage/dialects/database-unavailable.ts';
import { TelemetryUnavailable } from './storage/store-errors.ts';

/**
 * Matches text that no log and no event may contain: tokens, secrets of webhooks, and passwords in URLs. Takes linear
 * time for any text, because unauthenticated clients can send such texts.
 */
const SECRETS = /(pen_(?:key|session|signin)_)\w+|(whsec_)[\w+/=]+|(?<=:\/\/[^\s/:"@]*:)[^\s/"]+(?=@)/g;

/** Removes misplaced secrets from a text. */
export const withoutSecrets = (text: string): string =>
  text.replaceAll(SECRETS, (_, token = '', signing = '') => `${token}${signing}***`);

const WARN_LEVEL = 40;

/** Problems of the disk and of the databases are logged once, where they are found. Failed calls do not repeat them. */
const isReported = (entry: unknown, level: number): boolean =>
  level >= WARN_LEVEL &&
  typeof entry === 'object' &&
  entry !== null &&
  'err' in entry &&
  (isUnwritable(entry.err) ||
    entry.err instanceof TelemetryUnavailable ||
    entry.err instanceof DatabaseUnavailable);

/** Creates a log that writes one JSON line per entry, without secrets in errors or text of clients. */
export const createLog = (level: string, destination: DestinationStream): Logger =>
  pino(
    {
      level,
      base: null,
      hooks: {
        streamWrite: withoutSecrets,
        logMethod(entry, write, entryLevel) {
          if (!isReported(entry[0], entryLevel)) write.apply(this, entry);
        },
      },
    },
    destination,
  );

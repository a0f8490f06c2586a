import { pino, type DestinationStream, type Logger } from 'pino';
import { isUnwritable } from './storage/disk-full.ts';
import { TelemetryUnavailable } from './storage/store-errors.ts';

/**
 * What must stand in no log and no event: tokens, the secrets of webhooks, passwords in addresses. It reads each text
 * once, however long it is and whatever stands in it: clients that nobody knows yet send such texts.
 */
const SECRETS = /(pen_(?:key|session|signin)_)\w+|(whsec_)[\w+/=]+|(?<=:\/\/[^\s/:"@]*:)[^\s/"]+(?=@)/g;

/** The text without secrets that were sent in a wrong place. */
export const withoutSecrets = (text: string): string =>
  text.replaceAll(SECRETS, (_, token = '', signing = '') => `${token}${signing}***`);

const WARN_LEVEL = 40;

/** Problems of the disk and of telemetry.db are logged once, where they are found. Failed calls do not repeat them. */
const isReported = (entry: unknown, level: number): boolean =>
  level >= WARN_LEVEL &&
  typeof entry === 'object' &&
  entry !== null &&
  'err' in entry &&
  (isUnwritable(entry.err) || entry.err instanceof TelemetryUnavailable);

/** Writes a JSON line for each entry, without secrets, whatever an error or a client's text holds. */
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

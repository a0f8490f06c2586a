import { pino, type DestinationStream, type Logger } from 'pino';

/**
 * What must stand in no log and no event: tokens, the secrets of webhooks, passwords in addresses. It reads each text
 * once, however long it is and whatever stands in it: clients that nobody knows yet send such texts.
 */
const SECRETS = /(pen_(?:key|session|signin)_)\w+|(whsec_)[\w+/=]+|(?<=:\/\/[^\s/:"@]*:)[^\s/"]+(?=@)/g;

/** The text without secrets that were sent in a wrong place. */
export const withoutSecrets = (text: string): string =>
  text.replaceAll(SECRETS, (_, token = '', signing = '') => `${token}${signing}***`);

/** Writes a JSON line for each entry, without secrets, whatever an error or a client's text holds. */
export const createLog = (level: string, destination: DestinationStream): Logger =>
  pino({ level, base: null, hooks: { streamWrite: withoutSecrets } }, destination);

import type { Logger } from 'pino';
import type { MessageWork } from './message-work.ts';

/** When more failures are known, the log forgets them and reports each again. */
const MAX_KNOWN = 100;

/** Logs errors that formats threw. Devices repeat their messages, so each error is logged once, by its stack. */
export const createFailureLog = (log: Logger): ((failure: string, work: MessageWork) => void) => {
  const known = new Set<string>();
  return (failure, { submission: { channel, message }, stored: { format } }) => {
    if (known.has(failure)) return;
    if (known.size >= MAX_KNOWN) known.clear();
    known.add(failure);
    log.error(
      { pipeline: channel.id, format, topic: message.topic, stack: failure },
      'a format failed to read a message',
    );
  };
};

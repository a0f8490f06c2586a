import { HttpProblem } from '../http/http-problem.ts';
import { portOf } from './address-rules.ts';

/** Where something that somebody configured connects to. */
export type ConnectionTarget = {
  host: string;
  port: number;
  /** The same for what connects to the same place in the same way: secrets are bound to it. */
  key: string;
};

/** Of an address; undefined where its text is none. */
export const targetOfUrl = (text: string): ConnectionTarget | undefined => {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const port = portOf(url);
  return { host: url.hostname, port, key: JSON.stringify([url.protocol, url.hostname, port]) };
};

/** Refuses an address that may not be called. @throws HttpProblem 422 at the pointer */
export const requirePermitted = (reason: string | undefined, pointer: string): void => {
  if (reason === undefined) return;
  throw new HttpProblem('destination-forbidden', reason, {
    errors: [{ pointer, code: 'destination-forbidden', detail: reason }],
  });
};

import { HttpProblem } from '../http/http-problem.ts';
import { portOf, type ForbiddenTarget } from './address-rules.ts';

/** The address that a configuration connects to. */
export type ConnectionTarget = {
  host: string;
  port: number;
  /** Equal for connections with the same scheme, host and port. Secrets are bound to it. */
  key: string;
};

/** The target of a URL; undefined if the text is not a URL. */
export const targetOfUrl = (text: string): ConnectionTarget | undefined => {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const port = portOf(url);
  return { host: url.hostname, port, key: JSON.stringify([url.protocol, url.hostname, port]) };
};

/** @throws HttpProblem 422 at the pointer if the address is forbidden */
export const requirePermitted = (forbidden: ForbiddenTarget | undefined, pointer: string): void => {
  if (forbidden === undefined) return;
  const { reason, allow } = forbidden;
  throw new HttpProblem('destination-forbidden', reason, {
    errors: [
      { pointer, code: 'destination-forbidden', detail: reason, ...(allow === undefined ? {} : { allow }) },
    ],
  });
};

import { portOf } from '../../platform/outbound/address-rules.ts';
import { decodedPart } from '../../platform/secrets/url-password.ts';

export const basicAuthorization = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** The address and credentials of a destination. Options take precedence over the URL. */
export const destinationAddress = (
  text: string | undefined,
  options: { username?: string | undefined; password?: string | undefined } = {},
) => {
  const url = new URL(text ?? '');
  const { hostname, username, password } = url;
  const port = portOf(url);
  const or = (given: string | undefined, inUrl: string) =>
    given ?? (inUrl === '' ? undefined : decodedPart(inUrl));
  return {
    url,
    hostname,
    port,
    /** For messages. */
    host: `${hostname}:${port}`,
    username: or(options.username, username),
    password: or(options.password, password),
  };
};

import { portOf } from '../../platform/outbound/address-rules.ts';
import { decodedPart } from '../../platform/secrets/url-password.ts';

/** Where a destination is and who signs in there: what stands in its options goes before what its address holds. */
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
    /** For people. */
    host: `${hostname}:${port}`,
    username: or(options.username, username),
    password: or(options.password, password),
  };
};

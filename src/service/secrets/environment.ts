import { isIPv6 } from 'node:net';
import { isReferable } from '#contract/connection-fields.ts';
import { plainHost } from '../outbound/address-rules.ts';

/** The variables whose names begin with PENSTOCK_: secrets, and for each the list of hosts that may receive it. */
export type Environment = Readonly<Record<string, string>>;

/** Where a connection goes. */
export type Target = { readonly host: string; readonly port: number };

/** A host, and the one port where the list names one. */
type ListedHost = { host: string; port: number | undefined };

/** The variable that lists the hosts which may receive another one. */
export const hostsVariableOf = (name: string): string => `${name}_HOSTS`;

/** A name in the form of the DNS, without the dot that ends an absolute one. */
const comparableHost = (host: string): string => plainHost(host).toLowerCase().replace(/\.$/, '');

const IN_BRACKETS = /^\[([\da-fA-F:.]+)\](?::(\d{1,5}))?$/;
const NAME = /^([\p{L}\p{N}._-]+)(?::(\d{1,5}))?$/u;

const readListedHost = (text: string): ListedHost | undefined => {
  if (isIPv6(text)) return { host: comparableHost(text), port: undefined };
  const bracketed = IN_BRACKETS.exec(text);
  const [, host = '', port] = bracketed ?? NAME.exec(text) ?? [];
  if (host === '' || (bracketed !== null && !isIPv6(host))) return undefined;
  if (bracketed === null && !URL.canParse(`http://${host}`)) return undefined;
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return undefined;
  return { host: comparableHost(host), port: port === undefined ? undefined : Number(port) };
};

/** The hosts of a list such as `broker.example.com, 10.0.0.5:1883`; undefined where it is none. */
export const readHostList = (text: string): ListedHost[] | undefined => {
  const hosts = text.split(',').map((each) => readListedHost(each.trim()));
  return hosts.every((host) => host !== undefined) ? hosts : undefined;
};

const isListed = (hosts: readonly ListedHost[], target: Target): boolean =>
  hosts.some(
    ({ host, port }) => host === comparableHost(target.host) && (port === undefined || port === target.port),
  );

export type ReferenceFault = {
  /** `missing`: there is no such variable to refer to; `forbidden`: the target may not receive it. */
  kind: 'missing' | 'forbidden';
  detail: string;
};

const inTarget = ({ host, port }: Target): string => `${host}:${port}`;

/** Each way in which a reference may fail, with its sentence. */
const faultsOf = (name: string, target: Target | undefined) => {
  const hosts = hostsVariableOf(name);
  return {
    unreferable: `${name} cannot be referred to: the names of such variables begin with PENSTOCK_ and do not end in _HOSTS.`,
    missing: `There is no environment variable ${name}. Set it and start the service again.`,
    unbound: `${name} may not be sent anywhere yet. List the hosts that may receive it in ${hosts} and start the service again.`,
    unlisted:
      target === undefined
        ? ''
        : `${name} may not be sent to ${inTarget(target)}. List that host in ${hosts} and start the service again.`,
  };
};

/**
 * What keeps a variable from being sent to a target; undefined: it may be sent. Without a target it is sent nowhere, and
 * only has to exist and to have hosts.
 */
export const referenceFault = (
  environment: Environment,
  name: string,
  target: Target | undefined,
): ReferenceFault | undefined => {
  const faults = faultsOf(name, target);
  if (!isReferable(name)) return { kind: 'missing', detail: faults.unreferable };
  if (environment[name] === undefined) return { kind: 'missing', detail: faults.missing };
  const hosts = readHostList(environment[hostsVariableOf(name)] ?? '');
  if (hosts === undefined) return { kind: 'forbidden', detail: faults.unbound };
  if (target === undefined || isListed(hosts, target)) return undefined;
  return { kind: 'forbidden', detail: faults.unlisted };
};

/** True of a sentence that says what was wrong with this reference, now or in another environment. */
export const isReferenceFault = (detail: string, name: string, target: Target | undefined): boolean =>
  Object.values(faultsOf(name, target)).includes(detail);

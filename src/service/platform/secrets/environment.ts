import { isIPv6 } from 'node:net';
import { isReferable } from '#contract/connection-fields.ts';
import { plainHost } from '../outbound/address-rules.ts';

/** The variables whose names begin with PENSTOCK_: secrets, and their lists of allowed hosts. */
export type Environment = Readonly<Record<string, string>>;

/** Where a connection goes. */
export type Target = { readonly host: string; readonly port: number };

/** A host, limited to a port if the list names one. */
type ListedHost = { host: string; port: number | undefined };

/** The variable that lists the allowed hosts of another variable. */
export const hostsVariableOf = (name: string): string => `${name}_HOSTS`;

/** A host name in lower case, without a trailing dot. */
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

/** Parses a list of hosts such as `broker.example.com, 10.0.0.5:1883`; undefined if it is invalid. */
export const readHostList = (text: string): ListedHost[] | undefined => {
  const hosts = text.split(',').map((each) => readListedHost(each.trim()));
  return hosts.every((host) => host !== undefined) ? hosts : undefined;
};

const isListed = (hosts: readonly ListedHost[], target: Target): boolean =>
  hosts.some(
    ({ host, port }) => host === comparableHost(target.host) && (port === undefined || port === target.port),
  );

export type ReferenceFault = {
  /** `missing`: the variable does not exist or cannot be referred to. `forbidden`: it may not be sent to the target. */
  kind: 'missing' | 'forbidden';
  detail: string;
};

const formatTarget = ({ host, port }: Target): string => `${host}:${port}`;

/** The messages for all problems of a reference. */
const faultsOf = (name: string, target: Target | undefined) => {
  const hosts = hostsVariableOf(name);
  return {
    unreferable: `${name} cannot be used here. Use a variable whose name begins with PENSTOCK_ and does not end in _HOSTS.`,
    missing: `There is no environment variable ${name}. Set it and restart Penstock.`,
    unbound: `${name} has no list of allowed hosts. List the hosts that may receive it in ${hosts} and restart Penstock.`,
    unlisted:
      target === undefined
        ? ''
        : `${name} cannot be sent to ${formatTarget(target)}. Add this host to ${hosts} and restart Penstock.`,
  };
};

/**
 * Finds out why a variable may not be sent to a target; undefined: it may. Without a target, the variable only has to
 * exist and to have a list of allowed hosts.
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

/** True if the text is one of the messages for this reference, whatever the environment is now. */
export const isReferenceFault = (detail: string, name: string, target: Target | undefined): boolean =>
  Object.values(faultsOf(name, target)).includes(detail);

import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

type Address = ReturnType<typeof ipaddr.parse>;

/** Names of the ranges in the IANA special-purpose registries. Other non-public ranges are reserved. */
const words: Record<string, string> = {
  unspecified: 'an unspecified address',
  loopback: 'a loopback address',
  private: 'a private address',
  uniqueLocal: 'a private address',
  linkLocal: 'a link-local address',
  carrierGradeNat: 'an address of carrier-grade NAT',
  multicast: 'a multicast address',
  broadcast: 'a broadcast address',
  ipv4Mapped: 'an IPv4 address in IPv6 form',
  rfc6052: 'an IPv4 address behind NAT64',
  '6to4': 'an IPv4 address behind 6to4',
  teredo: 'an IPv4 address behind Teredo',
};

/** The range that is routed as global unicast today (RFC 4291, IANA). Addresses outside are unassigned. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');
/**
 * A public address that reaches the platform from within each Azure machine:
 * https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
 */
const AZURE_PLATFORM = '168.63.129.16';

const matches = (address: Address, network: [Address, number]): boolean =>
  address.kind() === network[0].kind() && address.match(network);

/** A connection to `::ffff:a.b.c.d` goes to a.b.c.d. */
const unmapped = (address: Address): Address =>
  address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;

/** Why an address is not public; undefined: it is public. */
const specialOf = (address: Address): string | undefined => {
  const range = address.range();
  if (range !== 'unicast') return words[range] ?? 'a reserved address';
  if (address.kind() === 'ipv6' && !matches(address, GLOBAL_UNICAST)) return 'a reserved address';
  return address.toString() === AZURE_PLATFORM ? 'an address of the platform' : undefined;
};

/** Loopback, the unspecified address (which connects to it) and each address of this machine. */
const isOwn = (address: Address): boolean => {
  const plain = unmapped(address);
  if (['loopback', 'unspecified'].includes(plain.range())) return true;
  return Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .some((own) => ipaddr.parse(own.address).toString() === plain.toString());
};

type Target = { address: string; port: number };

/** Returns why a connection to an address is forbidden; undefined: it is allowed. */
export type AddressRules = (target: Target) => string | undefined;

/**
 * Allows connections to public addresses and to networks that the operator has listed, but never to the ports of the
 * service itself.
 * @param allowedNetworks CIDRs of ALLOWED_NETWORKS
 * @param ownPorts ports that the service listens on
 */
export const createAddressRules = (
  allowedNetworks: readonly string[],
  ownPorts: () => readonly number[],
): AddressRules => {
  const allowed = allowedNetworks.map((network) => ipaddr.parseCIDR(network));
  return ({ address: text, port }) => {
    const address = ipaddr.parse(text);
    if (ownPorts().includes(port) && isOwn(address))
      return `${text} on port ${port} is Penstock itself. Connections to Penstock are not allowed.`;
    const special = specialOf(address);
    if (special === undefined) return undefined;
    if (allowed.some((network) => matches(address, network) || matches(unmapped(address), network)))
      return undefined;
    return `${text} is ${special}. Only public addresses are allowed. To allow it, add its network to ALLOWED_NETWORKS.`;
  };
};

const ports: Record<string, number> = {
  'https:': 443,
  'wss:': 443,
  'mqtt:': 1_883,
  'mqtts:': 8_883,
  'nats:': 4_222,
  'tls:': 4_222,
  'postgres:': 5_432,
  'postgresql:': 5_432,
};

/** The port of a URL, or the default port of its scheme. */
export const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (ports[protocol] ?? 80) : Number(port);

const webUrlOf = (host: string): string =>
  `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}`;

/** The host in the form of the URL parser, which does not normalise numeric hosts for schemes other than http and https. */
export const plainHost = (host: string): string => {
  const url = webUrlOf(host);
  return (URL.canParse(url) ? new URL(url).hostname : host).replace(/^\[(.*)\]$/, '$1');
};

/** Names that always mean this machine (RFC 6761), and its loopback addresses. */
const LOOPBACK_NAME = /(^|\.)localhost\.?$/i;
const LOOPBACK = ['127.0.0.1', '::1'];

/**
 * Why a host is forbidden, as far as this is known without DNS: for addresses in any spelling (normalised by the URL
 * parser of https://url.spec.whatwg.org) and names that always mean this machine. Undefined: not forbidden so far.
 */
export const hostForbiddenReason = (
  { host: written, port }: { host: string; port: number },
  rules: AddressRules,
): string | undefined => {
  // For schemes other than http and https, the URL parser accepts any host.
  if (!URL.canParse(webUrlOf(written)))
    return written === '' ? 'The URL has no host.' : `${written} is not a valid host name or IP address.`;
  const host = plainHost(written);
  if (isIP(host) !== 0) return rules({ address: host, port });
  if (!LOOPBACK_NAME.test(host)) return undefined;
  const reasons = LOOPBACK.map((address) => rules({ address, port }));
  return reasons.includes(undefined) ? undefined : `${host} is this machine: ${reasons[0]}`;
};

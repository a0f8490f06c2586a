import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

type Address = ReturnType<typeof ipaddr.parse>;

/** What the ranges of the IANA special-purpose registries are called; any other that is not public is reserved. */
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

/** All that is routed as global unicast today (RFC 4291, IANA): what lies outside is nobody's. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');
/** Reaches the platform under each Azure machine though it is a public address: https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16 */
const AZURE_PLATFORM = '168.63.129.16';

const matches = (address: Address, network: [Address, number]): boolean =>
  address.kind() === network[0].kind() && address.match(network);

/** A connection to `::ffff:a.b.c.d` is one to a.b.c.d. */
const unmapped = (address: Address): Address =>
  address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;

/** What speaks against an address for anyone on the internet's side; undefined: it is public. */
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

/** Says in words why an address may not be called; undefined: it may. */
export type AddressRules = (target: Target) => string | undefined;

/**
 * Public addresses may be called, others only where the operator lists their network, and the ports of the service
 * itself never.
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
      return `${text} on port ${port} is this service itself, which is never called.`;
    const special = specialOf(address);
    if (special === undefined) return undefined;
    if (allowed.some((network) => matches(address, network) || matches(unmapped(address), network)))
      return undefined;
    return `${text} is ${special}. Only public addresses are called; add its network to ALLOWED_NETWORKS to allow it.`;
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

/** The port of a URL, or the usual one of its scheme. */
export const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (ports[protocol] ?? 80) : Number(port);

const webUrlOf = (host: string): string =>
  `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}`;

/** A host as the URL parser writes it; of schemes that are not of the web it leaves numeric spellings as they are. */
export const plainHost = (host: string): string => {
  const url = webUrlOf(host);
  return (URL.canParse(url) ? new URL(url).hostname : host).replace(/^\[(.*)\]$/, '$1');
};

/** Names that always mean this machine (RFC 6761); an address for each of its families. */
const LOOPBACK_NAME = /(^|\.)localhost\.?$/i;
const LOOPBACK = ['127.0.0.1', '::1'];

/**
 * What of a host can be judged without asking the DNS: an address, in any spelling (the URL parser of
 * https://url.spec.whatwg.org makes one of them all), a name that always means this machine, or neither.
 */
export const hostForbiddenReason = (
  { host: written, port }: { host: string; port: number },
  rules: AddressRules,
): string | undefined => {
  // Of schemes that are not of the web the URL parser lets anything pass.
  if (!URL.canParse(webUrlOf(written)))
    return written === '' ? 'The URL has no host.' : `${written} is neither a name nor an address of a host.`;
  const host = plainHost(written);
  if (isIP(host) !== 0) return rules({ address: host, port });
  if (!LOOPBACK_NAME.test(host)) return undefined;
  const reasons = LOOPBACK.map((address) => rules({ address, port }));
  return reasons.includes(undefined) ? undefined : `${host} is this machine: ${reasons[0]}`;
};

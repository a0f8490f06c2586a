import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { describeNetwork } from '#contract/networks.ts';
import type { FieldProblem } from '#contract/problem.ts';
import { matches, unmapped, withoutZone, type Address, type AllowedNetworks } from './allowed-networks.ts';

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

/**
 * Addresses at which clouds serve the metadata of a machine, including its credentials, to whatever runs on it: AWS (also for
 * containers), Azure, Google, Alibaba, Oracle, Tencent, Scaleway.
 */
const METADATA = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  'fd00:ec2::254',
  'fd00:ec2::23',
  AZURE_PLATFORM,
  'fd20:ce::254',
  '100.100.100.200',
  '192.0.0.192',
  '169.254.0.23',
  '169.254.42.42',
  'fd00:42::42',
]);

/** The IPv4 address that a gateway for an IPv6 address connects to: NAT64 and SIIT (RFC 6052), and 6to4 (RFC 3056). */
const behindGateway = (address: Address): Address => {
  if (!(address instanceof ipaddr.IPv6)) return address;
  const bytes = address.toByteArray();
  if (['rfc6052', 'rfc6145'].includes(address.range())) return new ipaddr.IPv4(bytes.slice(12));
  return address.range() === '6to4' ? new ipaddr.IPv4(bytes.slice(2, 6)) : address;
};

/** Whether an address is one of the metadata of a cloud, in whatever form. */
export const isMetadata = (address: Address): boolean => {
  return METADATA.has(withoutZone(behindGateway(unmapped(address))));
};

/** Why an address is not public; undefined: it is public. */
export const specialOf = (address: Address): string | undefined => {
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

/** Why a connection is forbidden. */
export type ForbiddenTarget = {
  reason: string;
  /** The network that would have to be allowed; undefined: it is never allowed. */
  allow: FieldProblem['allow'];
};

/** Returns why a connection to an address is forbidden; undefined: it is allowed. */
export type AddressRules = (target: Target) => ForbiddenTarget | undefined;

/**
 * Allows connections to public addresses and to allowed networks, but never to the metadata of a cloud or to the ports of
 * the service itself.
 * @param ownPorts ports that the service listens on
 */
export const createAddressRules =
  (allowedNetworks: Pick<AllowedNetworks, 'permit'>, ownPorts: () => readonly number[]): AddressRules =>
  ({ address: text, port }) => {
    const address = ipaddr.parse(text);
    const never = (reason: string): ForbiddenTarget => ({ reason, allow: undefined });
    if (ownPorts().includes(port) && isOwn(address))
      return never(`${text} on port ${port} is Penstock itself. Connections to Penstock are not allowed.`);
    if (isMetadata(address))
      return never(
        `${text} serves the metadata of cloud machines, which can include credentials. Connections to it are never allowed.`,
      );
    const special = specialOf(address);
    const plain = unmapped(address);
    if (special === undefined || allowedNetworks.permit(plain, port)) return undefined;
    const allow = { network: withoutZone(plain), ports: [port] };
    return {
      reason: `${text} is ${special}. Only public addresses and allowed networks can be reached. Allow ${describeNetwork(allow)} under Settings → Network (requires network:manage), or set ALLOWED_NETWORKS.`,
      allow,
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
export const findForbiddenHost = (
  { host: written, port }: { host: string; port: number },
  rules: AddressRules,
): ForbiddenTarget | undefined => {
  // For schemes other than http and https, the URL parser accepts any host.
  if (!URL.canParse(webUrlOf(written)))
    return {
      reason: written === '' ? 'The URL has no host.' : `${written} is not a valid host name or IP address.`,
      allow: undefined,
    };
  const host = plainHost(written);
  if (isIP(host) !== 0) return rules({ address: host, port });
  if (!LOOPBACK_NAME.test(host)) return undefined;
  const found = LOOPBACK.map((address) => rules({ address, port }));
  const [first] = found;
  if (first === undefined || found.includes(undefined)) return undefined;
  return { ...first, reason: `${host} is this machine: ${first.reason}` };
};

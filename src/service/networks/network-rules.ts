import ipaddr from 'ipaddr.js';
import { describeNetwork, MAX_NETWORKS } from '#contract/networks.ts';
import { HttpProblem, invalidField } from '../platform/http/http-problem.ts';
import { isMetadata, specialOf } from '../platform/outbound/address-rules.ts';
import { parseNetwork, type NetworkPermission } from '../platform/outbound/allowed-networks.ts';
import type { StoredNetwork } from './network-store.ts';

/** The shortest prefixes: those of the largest private networks (RFC 1918, RFC 4193). */
const SHORTEST_PREFIX = { ipv4: 8, ipv6: 7 };
const LONGEST_PREFIX = { ipv4: 32, ipv6: 128 };

/**
 * A network in canonical form: an address as such, a network by its first address.
 * @throws HttpProblem 422 for a network that is too large or not written by its first address, and for an address that
 * is public or never allowed
 */
export const canonicalNetwork = (text: string): string => {
  const [address, length] = parseNetwork(text);
  const kind = address.kind();
  const invalid = (code: string, detail: string) => invalidField('/network', code, detail);
  if (length === LONGEST_PREFIX[kind]) {
    if (isMetadata(address))
      throw invalid('never-allowed', `${text} serves the metadata of cloud machines, and is never allowed.`);
    if (specialOf(address) === undefined)
      throw invalid(
        'public',
        `${text} is a public address. Connections to public addresses are always allowed.`,
      );
    return address.toString();
  }
  if (length < SHORTEST_PREFIX[kind])
    throw invalid(
      'too-large',
      `${text} is too large. Enter an address, or a network of at least /${SHORTEST_PREFIX[kind]}.`,
    );
  const range = `${address.toString()}/${length}`;
  const first = (kind === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6).networkAddressFromCIDR(range).toString();
  if (first !== address.toString())
    throw invalid(
      'host-bits',
      `${text} is an address in the network ${first}/${length}. Enter that network, or the address ${address.toString()}.`,
    );
  return range;
};

/** Ports in ascending order, each once. */
export const canonicalPorts = (ports: readonly number[] | null): number[] | null =>
  ports === null ? null : [...new Set(ports)].toSorted((a, b) => a - b);

/** @throws HttpProblem 409 if the same is allowed already, or there are too many networks */
export const requireNew = (permission: NetworkPermission, stored: readonly StoredNetwork[]): void => {
  const isSame = (other: NetworkPermission) =>
    other.network === permission.network && JSON.stringify(other.ports) === JSON.stringify(permission.ports);
  if (stored.some(isSame)) {
    const detail = `${describeNetwork(permission)} is already allowed.`;
    throw new HttpProblem('conflict', detail, { errors: [{ pointer: '/network', code: 'taken', detail }] });
  }
  if (stored.length >= MAX_NETWORKS)
    throw new HttpProblem(
      'conflict',
      `The limit of ${MAX_NETWORKS} allowed networks is reached. Remove one, or allow a larger network instead of several.`,
    );
};

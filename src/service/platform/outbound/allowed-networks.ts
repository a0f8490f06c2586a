import ipaddr from 'ipaddr.js';

export type Address = ReturnType<typeof ipaddr.parse>;
type Cidr = [Address, number];

const MAPPED_PREFIX = 96;

export const matches = (address: Address, network: Cidr): boolean =>
  address.kind() === network[0].kind() && address.match(network);

/** A connection to `::ffff:a.b.c.d` goes to a.b.c.d. */
export const unmapped = (address: Address): Address =>
  address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;

/** The text of an address without its zone, which names an interface of this machine. */
export const withoutZone = (address: Address): string => address.toString().replace(/%.*$/, '');

/** A network, or an address as a network of one. A network of IPv4 addresses in IPv6 form becomes an IPv4 network. */
export const parseNetwork = (text: string): Cidr => {
  const isSingle = !text.includes('/');
  const [address, length] = ipaddr.parseCIDR(isSingle ? `${text}/${text.includes(':') ? 128 : 32}` : text);
  const plain = unmapped(address);
  return plain === address || length < MAPPED_PREFIX ? [address, length] : [plain, length - MAPPED_PREFIX];
};

export type NetworkPermission = { network: string; ports: readonly number[] | null };

export type AllowedNetworks = {
  /** Whether a network contains this address and port. IPv4 addresses in IPv6 form are passed as IPv4. */
  permit(address: Address, port: number): boolean;
  add(id: string, permission: NetworkPermission): void;
  delete(id: string): void;
};

/**
 * The networks that connections may reach besides public addresses, in memory, where each connection looks them up.
 * @param configured CIDRs of ALLOWED_NETWORKS
 */
export const createAllowedNetworks = (configured: readonly string[]): AllowedNetworks => {
  const networks = new Map<string, { cidr: Cidr; ports: readonly number[] | null }>(
    configured.map((network) => [network, { cidr: parseNetwork(network), ports: null }]),
  );
  return {
    permit: (address, port) =>
      [...networks.values()].some(
        ({ cidr, ports }) => (ports === null || ports.includes(port)) && matches(address, cidr),
      ),
    add: (id, { network, ports }) => void networks.set(id, { cidr: parseNetwork(network), ports }),
    delete: (id) => void networks.delete(id),
  };
};

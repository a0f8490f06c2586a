export type AllowedNetworkTable = {
  id: string;
  /** In canonical form: an address, or a network in CIDR notation. */
  network: string;
  /** A JSON list of ports in ascending order, or `null` for all ports. */
  ports: string;
  created_by: string;
  created_at: number;
};

declare module '../platform/storage/database.ts' {
  interface Schema {
    allowed_network: AllowedNetworkTable;
  }
}

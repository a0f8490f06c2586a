import * as z from 'zod';

const networkText = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

/** What connections may reach: a network or a single address, on some ports or all. */
export const networkFields = {
  network: z
    .string()
    .max(49)
    .refine((text) => networkText.safeParse(text).success, {
      error:
        'Enter an IP address such as 10.0.0.5, or a network such as 10.0.0.0/24. Penstock checks the addresses that host names resolve to.',
    })
    .meta({
      description: 'An IP address, or a network in CIDR notation.',
      examples: ['10.0.0.5'],
    }),
  ports: z
    .array(z.int().min(1).max(65_535))
    .min(1, 'Enter at least one port, or null for all ports.')
    .max(100, 'At most 100 ports.')
    .nullable()
    .meta({ description: 'The ports. `null`: all ports.', examples: [[502]] }),
};

export const newNetworkSchema = z
  .strictObject({ ...networkFields, ports: networkFields.ports.default(null) })
  .meta({ id: 'NewNetwork', description: 'The network or address to allow.' });
export type NewNetwork = z.input<typeof newNetworkSchema>;

import { DEVICE_PLACE } from '#contract/destination-types.ts';
import { DeliveryFailure, destinationKind, type Delivery } from './destination.ts';
import { createConnectionPool } from './connection-pool.ts';
import { destinationAddress } from './destination-address.ts';
import type { NatsMessage, NatsPublisher } from './nats-publisher.ts';

/** A device as a part of a subject, without dots, spaces, * and >. The message contains the unchanged external ID. */
const asToken = (device: string): string => device.replaceAll(/[.\s*>]/g, '_');

/** Each retry has the same message IDs, so that the stream stores each message once within its duplicate window. */
const messagesOf = ({ ids, samples }: Delivery, template: string): NatsMessage[] =>
  samples.map(({ device, ts, values }, index) => ({
    id: ids[index]!,
    subject: template.replaceAll(DEVICE_PLACE, () => asToken(device)),
    payload: JSON.stringify({ device, ts, values }),
  }));

/** Matches the subjects of all devices. */
const filterOf = (template: string): string =>
  template
    .split('.')
    .map((token) => (token.includes(DEVICE_PLACE) ? '*' : token))
    .join('.');

export const natsDestination = destinationKind({
  type: 'nats',
  label: 'NATS JetStream',
  description: 'Publishes messages to a stream.',
  open: ({ url, options, outbound }) => {
    const address = destinationAddress(url, options);
    const { host } = address;
    const pool = createConnectionPool({ host }, async (signal) => {
      const { openNatsPublisher } = await import('./nats-publisher.ts');
      return openNatsPublisher(outbound, address, options.token, signal);
    });
    const filter = filterOf(options.subject);

    const describeStreams = async (publisher: NatsPublisher): Promise<string> => {
      const streams = await publisher.listStreams(filter).catch((error: unknown) => {
        if (error instanceof DeliveryFailure) throw error;
        return undefined;
      });
      // A user that can publish may not be allowed to list streams.
      if (streams === undefined) return `Penstock could not check which stream stores ${filter}.`;
      if (streams.length === 0)
        throw new DeliveryFailure('refused', `${host}: no stream stores ${filter}. Create a stream for it.`);
      return `${filter} is stored in ${streams.join(', ')}.`;
    };
    return {
      deliver: (delivery, signal) =>
        pool.use(signal, (publisher) => publisher.publish(messagesOf(delivery, options.subject), signal)),
      probe: async (signal) => {
        const publisher = await pool.connect(signal);
        try {
          return `Connected to ${host}. ${await describeStreams(publisher)}`;
        } finally {
          await publisher.end();
        }
      },
      close: pool.close,
    };
  },
});

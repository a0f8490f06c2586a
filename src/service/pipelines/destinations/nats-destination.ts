import { errors } from '@nats-io/transport-node';
import { DEVICE_PLACE } from '#contract/destination-types.ts';
import { DeliveryFailure, destinationKind, type Delivery } from './destination.ts';
import { createConnectionPool } from './connection-pool.ts';
import { destinationAddress } from './destination-address.ts';
import { openNatsPublisher, type NatsMessage, type NatsPublisher } from './nats-publisher.ts';

/** A device as a part of a subject, which holds neither dots nor spaces, * or >; the message has its id as it is. */
const asToken = (device: string): string => device.replaceAll(/[.\s*>]/g, '_');

/** The same for each try, so that the stream stores it once within its duplicate window. */
const messagesOf = ({ ids, samples }: Delivery, template: string): NatsMessage[] =>
  samples.map(({ device, ts, values }, index) => ({
    id: ids[index]!,
    subject: template.replaceAll(DEVICE_PLACE, () => asToken(device)),
    payload: JSON.stringify({ device, ts, values }),
  }));

/** All subjects that devices may have. */
const filterOf = (template: string): string =>
  template
    .split('.')
    .map((token) => (token.includes(DEVICE_PLACE) ? '*' : token))
    .join('.');

export const natsDestination = destinationKind({
  type: 'nats',
  label: 'NATS JetStream',
  description: 'Messages of a JetStream stream, one for each sample, each stored once.',
  open: ({ url, options, outbound }) => {
    const address = destinationAddress(url, options);
    const { host } = address;
    const pool = createConnectionPool({ host }, (signal) =>
      openNatsPublisher(outbound, address, options.token, signal),
    );
    const filter = filterOf(options.subject);

    const look = async (publisher: NatsPublisher): Promise<string> => {
      const streams = await publisher.listStreams(filter).catch((error: unknown) => {
        if (error instanceof Error && error.cause instanceof errors.NoRespondersError)
          throw new DeliveryFailure('refused', `${host} has no JetStream: enable it.`, { cause: error });
        return undefined;
      });
      // Who may publish need not be allowed to ask.
      if (streams === undefined) return `which stream holds ${filter}, it did not say`;
      if (streams.length === 0)
        throw new DeliveryFailure('refused', `${host}: no stream holds ${filter}, make one.`);
      return `${filter} is held by ${streams.join(', ')}`;
    };
    return {
      deliver: (delivery, signal) =>
        pool.use(signal, (publisher) => publisher.publish(messagesOf(delivery, options.subject), signal)),
      probe: async (signal) => {
        const publisher = await pool.connect(signal);
        try {
          return `${host} let this service in; ${await look(publisher)}.`;
        } finally {
          await publisher.end();
        }
      },
      close: pool.close,
    };
  },
});

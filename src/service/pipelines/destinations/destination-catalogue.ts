import type { DestinationKind } from './destination.ts';
import { fileDestination } from './file-destination.ts';
import { influxdbDestination } from './influxdb-destination.ts';
import { mqttDestination } from './mqtt-destination.ts';
import { natsDestination } from './nats-destination.ts';
import { postgresDestination } from './postgres-destination.ts';
import { webhookDestination } from './webhook-destination.ts';

/** Every type of destination outside the service, in the order in which they are offered. */
export const destinationKinds: readonly DestinationKind[] = [
  postgresDestination,
  influxdbDestination,
  mqttDestination,
  natsDestination,
  webhookDestination,
  fileDestination,
];

/** The type of that name, matched ignoring case. */
export const findDestinationKind = (type: string): DestinationKind | undefined =>
  destinationKinds.find((kind) => kind.type === type.trim().toLowerCase());

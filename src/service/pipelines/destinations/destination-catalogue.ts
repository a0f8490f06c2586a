import type { DestinationKind } from './destination.ts';
import { fileDestination } from './file-destination.ts';
import { influxdbDestination } from './influxdb-destination.ts';
import { mqttDestination } from './mqtt-destination.ts';
import { natsDestination } from './nats-destination.ts';
import { postgresDestination } from './postgres-destination.ts';
import { webhookDestination } from './webhook-destination.ts';

/** All types of external destinations, in display order. */
export const destinationKinds: readonly DestinationKind[] = [
  postgresDestination,
  influxdbDestination,
  mqttDestination,
  natsDestination,
  webhookDestination,
  fileDestination,
];

/** Finds a type by name, ignoring case. */
export const findDestinationKind = (type: string): DestinationKind | undefined =>
  destinationKinds.find((kind) => kind.type === type.trim().toLowerCase());

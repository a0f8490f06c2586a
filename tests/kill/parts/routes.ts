export type RouteName = 'nats-influxdb' | 'http-postgres' | 'mqtt-postgres' | 'http-nats' | 'http-file';

/** A pipeline of a run, from its source to its destination. */
export type Route = {
  /** The name of its devices, its pipeline and its destination. */
  readonly name: RouteName;
  readonly source: 'nats' | 'http' | 'mqtt';
  readonly to: 'influxdb' | 'postgres' | 'nats' | 'file';
  /** Messages without an answer are not repeated, so each value must arrive at most once. */
  readonly isSentOnce: boolean;
};

export const routes: readonly Route[] = [
  { name: 'nats-influxdb', source: 'nats', to: 'influxdb', isSentOnce: false },
  { name: 'http-postgres', source: 'http', to: 'postgres', isSentOnce: false },
  { name: 'mqtt-postgres', source: 'mqtt', to: 'postgres', isSentOnce: false },
  { name: 'http-nats', source: 'http', to: 'nats', isSentOnce: true },
  { name: 'http-file', source: 'http', to: 'file', isSentOnce: true },
];

/** The PostgreSQL table of a route. */
export const tableOf = (route: string): string => route.replaceAll('-', '_');
/** The subject that a device's samples are published to. */
export const subjectOf = (device: string): string => `plant.${device}.values`;

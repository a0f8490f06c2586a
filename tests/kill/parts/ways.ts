export type WayName = 'nats-influxdb' | 'http-postgres' | 'mqtt-postgres' | 'http-nats' | 'http-file';

/** A pipeline of a run: where its values come from and go to. */
export type Way = {
  /** What its devices, its pipeline and its destination are called. */
  readonly name: WayName;
  readonly source: 'nats' | 'http' | 'mqtt';
  readonly to: 'influxdb' | 'postgres' | 'nats' | 'file';
  /** Unanswered messages are not repeated, so each value must be found at most once. */
  readonly isSentOnce: boolean;
};

export const ways: readonly Way[] = [
  { name: 'nats-influxdb', source: 'nats', to: 'influxdb', isSentOnce: false },
  { name: 'http-postgres', source: 'http', to: 'postgres', isSentOnce: false },
  { name: 'mqtt-postgres', source: 'mqtt', to: 'postgres', isSentOnce: false },
  { name: 'http-nats', source: 'http', to: 'nats', isSentOnce: true },
  { name: 'http-file', source: 'http', to: 'file', isSentOnce: true },
];

/** The table of a way whose values go to PostgreSQL. */
export const tableOf = (way: string): string => way.replaceAll('-', '_');
/** The subject that a device's values are published to. */
export const subjectOf = (device: string): string => `plant.${device}.values`;

/** A pipeline of a run: where its values come from and go to. */
export type Way = {
  /** What its devices, its pipeline and its destination are called. */
  readonly name: string;
  readonly source: 'nats' | 'http' | 'mqtt';
  readonly to: 'influxdb' | 'postgres' | 'nats' | 'file';
  /** What gets no answer is not sent again: each must be found at most once. */
  readonly isSentOnce: boolean;
};

export const ways = [
  { name: 'nats-influxdb', source: 'nats', to: 'influxdb', isSentOnce: false },
  { name: 'http-postgres', source: 'http', to: 'postgres', isSentOnce: false },
  { name: 'mqtt-postgres', source: 'mqtt', to: 'postgres', isSentOnce: false },
  { name: 'http-nats', source: 'http', to: 'nats', isSentOnce: true },
  { name: 'http-file', source: 'http', to: 'file', isSentOnce: true },
] as const satisfies readonly Way[];
export type WayName = (typeof ways)[number]['name'];

/** The table of a way whose values go to PostgreSQL. */
export const tableOf = (way: string): string => way.replaceAll('-', '_');
/** The subject that a device's values are published to. */
export const subjectOf = (device: string): string => `plant.${device}.values`;

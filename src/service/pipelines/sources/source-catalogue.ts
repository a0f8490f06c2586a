import type { Source } from './source.ts';
import { hostSource } from './host-source.ts';
import { httpPollSource } from './http-poll-source.ts';
import { httpSource } from './http-source.ts';
import { modbusSource } from './modbus-source.ts';
import { mqttSource } from './mqtt-source.ts';
import { natsSource } from './nats-source.ts';

/** All types of pipelines, in display order. */
export const sources: readonly Source[] = [
  mqttSource,
  httpSource,
  httpPollSource,
  modbusSource,
  natsSource,
  hostSource,
];

/** Finds the source of a type, ignoring case. */
export const findSource = (type: string): Source | undefined =>
  sources.find((source) => source.type === type.trim().toLowerCase());

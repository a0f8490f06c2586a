import type { DevicePayload } from './device-payload.ts';

/** Messages that say how to read other messages, in order, and the samples that all of them become. */
export type Conversation = Pick<DevicePayload, 'name' | 'source' | 'units' | 'deviceNames'> & {
  /** Topics and payloads. An object is sent as JSON, text as it is. */
  readonly messages: readonly (readonly [topic: string, payload: object | string])[];
  readonly samples: DevicePayload['samples'];
  /** Reasons of the rejections. */
  readonly rejections?: readonly string[];
  /** Number of values that are no values, such as `unavailable`. */
  readonly noValues?: number;
};

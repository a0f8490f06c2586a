import type { QoS } from 'mqtt-packet';

/** Replaces the beginning of a topic, so that subscribers of `me` receive topics with `me`. */
export type TopicAlias = { readonly from: string; readonly to: string };

export type Subscription = {
  /** The topic filter with the name of the device in place of `me`. */
  readonly filter: string;
  readonly alias?: TopicAlias | undefined;
  readonly qos: QoS;
  readonly isNoLocal: boolean;
  readonly isRetainAsPublished: boolean;
  readonly identifier?: number | undefined;
};

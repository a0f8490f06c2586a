import type { QoS } from 'mqtt-packet';

/**
 * Replaces the beginning of a topic, so that subscribers of `me` receive topics with `me`. Not a topic alias of MQTT 5.
 */
export type TopicRewrite = { readonly from: string; readonly to: string };

export type Subscription = {
  /** The topic filter with the name of the device in place of `me`. */
  readonly filter: string;
  readonly rewrite?: TopicRewrite | undefined;
  readonly qos: QoS;
  readonly isNoLocal: boolean;
  readonly isRetainAsPublished: boolean;
  readonly identifier?: number | undefined;
};

/** How topics change for a subscriber. `given`: its topic filter with `me`; `filter`: with the name of the device. */
export const rewriteOf = (given: string, filter: string): TopicRewrite | undefined => {
  if (given === filter) return undefined;
  let same = 0;
  while (same < given.length && given.at(-1 - same) === filter.at(-1 - same)) same += 1;
  return { from: filter.slice(0, filter.length - same), to: given.slice(0, given.length - same) };
};

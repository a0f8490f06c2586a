import { topicFilterOf, type TopicFilter } from '#contract/topic-filter.ts';
import type { Published } from './mqtt-routing.ts';

type Handle = (message: Published) => Promise<unknown>;
type Route = { readonly match: TopicFilter; readonly handle: Handle };
/** A handler for the messages of a topic, and the level at the first `+` of its filter. */
type MatchedRoute = { readonly level: string | undefined; readonly handle: Handle };

/** Number of topics whose matches are cached: devices keep publishing to the same topics. */
const MAX_TOPICS = 10_000;
const MAX_TOPIC_LENGTH = 256;

/** The routes of the broker, to look up by topic. */
export const createTopicRoutes = () => {
  const routes = new Set<Route>();
  const known = new Map<string, readonly MatchedRoute[]>();
  return {
    /** Returns a function that removes the route. */
    add: (filter: string, handle: Handle): (() => void) => {
      const route: Route = { match: topicFilterOf(filter), handle };
      routes.add(route);
      known.clear();
      return () => {
        routes.delete(route);
        known.clear();
      };
    },
    matchTopic: (topic: string): readonly MatchedRoute[] => {
      const before = known.get(topic);
      if (before !== undefined) return before;
      const matched = [...routes].flatMap(({ match, handle }) => {
        const matched = match(topic);
        return matched === undefined ? [] : [{ level: matched.level, handle }];
      });
      if (topic.length > MAX_TOPIC_LENGTH) return matched;
      if (known.size >= MAX_TOPICS) known.clear();
      known.set(topic, matched);
      return matched;
    },
  };
};

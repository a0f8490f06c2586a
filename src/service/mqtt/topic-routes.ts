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
  /** The routes of filters with wildcards. */
  const routes = new Set<Route>();
  /** The routes of single topics, of which discovery may name thousands. */
  const ofTopics = new Map<string, Set<Handle>>();
  const known = new Map<string, readonly MatchedRoute[]>();
  return {
    /** Returns a function that removes the route. */
    add: (filter: string, handle: Handle): (() => void) => {
      if (!/[+#]/.test(filter)) {
        known.delete(filter);
        const handles = ofTopics.get(filter) ?? new Set();
        ofTopics.set(filter, handles.add(handle));
        return () => {
          known.delete(filter);
          handles.delete(handle);
          if (handles.size === 0) ofTopics.delete(filter);
        };
      }
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
      const exact = [...(ofTopics.get(topic) ?? [])].map((handle) => ({ level: undefined, handle }));
      const wild = [...routes].flatMap(({ match, handle }) => {
        const matched = match(topic);
        return matched === undefined ? [] : [{ level: matched.level, handle }];
      });
      const matched = [...exact, ...wild];
      if (topic.length > MAX_TOPIC_LENGTH) return matched;
      if (known.size >= MAX_TOPICS) known.clear();
      known.set(topic, matched);
      return matched;
    },
  };
};

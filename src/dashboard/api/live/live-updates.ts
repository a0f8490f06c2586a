import {
  matchQuery,
  type InfiniteData,
  type Query,
  type QueryClient,
  type QueryKey,
} from '@tanstack/react-query';
import type { Device } from '#contract/devices.ts';
import type { Event, EventType } from '#contract/events.ts';
import type { Page } from '#contract/paging.ts';
import type { Pipeline } from '#contract/pipelines.ts';
import type { StreamFrame } from '#contract/stream.ts';
import { detailKey, listsKey, queryKeys, totalsKey, type QueryKeyName } from '../query-keys.ts';

const device = ['devices', 'overview'] as const;
const pipeline = ['pipelines', 'overview'] as const;

/**
 * The queries that each event makes stale, besides the latest events. The stream reports online, late and offline
 * devices in frames of their own.
 */
const staleByType: Record<EventType, readonly QueryKeyName[] | 'everything'> = {
  'device.registered': [...device, 'keyActivity'],
  'device.updated': device,
  'device.deleted': device,
  'device.restored': device,
  'device.online': ['overview', 'keyActivity'],
  'device.late': ['overview'],
  'device.offline': ['overview'],
  'device-type.updated': ['telemetry'],
  'pipeline.created': pipeline,
  'pipeline.updated': pipeline,
  'pipeline.deleted': pipeline,
  'pipeline.state-changed': pipeline,
  'pipeline.replayed': pipeline,
  'unrouted.deleted': ['unrouted'],
  'destination.created': ['destinations'],
  'destination.updated': ['destinations'],
  'destination.deleted': ['destinations'],
  'destination.state-changed': ['destinations'],
  'api-key.created': ['apiKeys'],
  'api-key.updated': ['apiKeys'],
  'api-key.rotated': ['apiKeys', 'overview'],
  'api-key.revoked': ['apiKeys', 'overview'],
  'api-key.expiring': ['apiKeys', 'overview'],
  'session.opened': [],
  'session.closed': [],
  'session.refused': [],
  'telemetry.deleted': ['telemetry'],
  'telemetry.loss-accepted': ['telemetry', 'storage'],
  'network.created': ['networks'],
  'network.deleted': ['networks'],
  'webhook.created': ['webhooks'],
  'webhook.updated': ['webhooks'],
  'webhook.deleted': ['webhooks'],
  'webhook.rotated': ['webhooks'],
  'webhook.retried': ['webhooks'],
  'webhook.state-changed': ['webhooks'],
  'mqtt.refused': ['keyActivity'],
  'http.refused': ['keyActivity'],
  'service.started': [],
  'service.storage-low': ['storage', 'overview'],
  'service.storage-recovered': ['storage', 'overview'],
  // The service corrects times of every resource after a jump.
  'service.clock-jumped': 'everything',
};

/** The first parts of the keys of all queries that events make stale. */
const liveNames: ReadonlySet<unknown> = new Set(
  [
    'latestEvents' as const,
    ...Object.values(staleByType)
      .filter((names) => names !== 'everything')
      .flat(),
  ].map((name) => queryKeys[name][0]),
);

const isKnown = (type: string): type is EventType => Object.hasOwn(staleByType, type);

/** The queries that an event makes stale. An unknown type, of a newer service, counts as any event of its subject. */
const staleAfterEvent = (type: string): readonly QueryKeyName[] | 'everything' => {
  if (isKnown(type)) return staleByType[type];
  const subject = `${type.split('.')[0]}.`;
  return Object.entries(staleByType).flatMap(([known, stale]) =>
    known.startsWith(subject) && stale !== 'everything' ? stale : [],
  );
};

/** Whether a change of a device changes how its metrics are shown: one of them, or its type. */
const changesMetrics = ({ type, data }: Event): boolean =>
  type === 'device.updated' &&
  ('metric' in data || (Array.isArray(data['fields']) && data['fields'].includes('type')));

/** Events of devices whose state changed: which devices a list filtered by state shows. */
const changesState = ({ type }: Event): boolean => /^device\.(online|late|offline)$/.test(type);

/** The cache is written at most this often, however many frames arrive. */
const FLUSH_MS = 250;
/** Stale queries are refetched at most this often: a thousand devices may register in a second. */
const STALE_MS = 1_000;
/** Lists of devices in a state are refetched at most this often. */
const STATES_MS = 5_000;

type Pages<T> = InfiniteData<Page<T>, string | null>;
type Patch<T> = Partial<T> & { id: string };

const patched = <T extends { id: string }>(item: T, patches: ReadonlyMap<string, Patch<T>>): T => {
  const patch = patches.get(item.id);
  // The first frames of a stream mostly repeat what is known.
  const isSame = Object.entries(patch ?? {}).every(([name, value]) => item[name as keyof T] === value);
  return isSame ? item : { ...item, ...patch };
};

const patchedPages = <T extends { id: string }>(
  pages: Pages<T>,
  patches: ReadonlyMap<string, Patch<T>>,
): Pages<T> => {
  const next = pages.pages.map((page) =>
    page.data.some((item) => patches.has(item.id))
      ? { ...page, data: page.data.map((item) => patched(item, patches)) }
      : page,
  );
  return next.every((page, index) => page === pages.pages[index]) ? pages : { ...pages, pages: next };
};

/**
 * Replaces the data of a cached query. Data that nobody sees keep their age, and stale data stay stale, so that they
 * are read again when shown: a frame changes items but says nothing about which items belong to a list. (`setQueryData`
 * would make them fresh.)
 */
const replaceData = <T>(query: Query, replace: (data: T) => T) => {
  const data = query.state.data as T | undefined;
  const next = data === undefined ? undefined : replace(data);
  if (next !== data) query.setState({ data: next, ...(query.isActive() && { dataUpdatedAt: Date.now() }) });
};

/**
 * Collects frames of items, and writes them into all lists and details of a resource. A page without patched items stays
 * the same object.
 */
const createPatches = <T extends { id: string }>(client: QueryClient, resource: 'devices' | 'pipelines') => {
  const cache = client.getQueryCache();
  const arrived = new Map<string, Patch<T>>();
  /** Written while the resource is being fetched: the response may be older, and is patched again. */
  const written = new Map<string, Patch<T>>();
  const isFetching = () => client.isFetching({ queryKey: queryKeys[resource] }) > 0;
  const patchList = (query: Query, patches: ReadonlyMap<string, Patch<T>>) =>
    replaceData<Pages<T>>(query, (pages) => patchedPages(pages, patches));
  const patchDetail = (query: Query, patches: ReadonlyMap<string, Patch<T>>) =>
    replaceData<T>(query, (item) => patched(item, patches));

  cache.subscribe((change) => {
    if (arrived.size + written.size === 0 || change.type !== 'updated') return;
    const { query, action } = change;
    if (action.type === 'success' && action.manual === true) {
      // The response of a change, which is newer than most frames before it.
      for (const frames of [arrived, written])
        for (const id of frames.keys())
          if (matchQuery({ queryKey: detailKey(resource, id) }, query)) frames.delete(id);
    } else if (action.type === 'success') {
      if (matchQuery({ queryKey: listsKey(resource) }, query)) patchList(query, written);
      else if (matchQuery({ queryKey: [...queryKeys[resource], 'detail'] }, query))
        patchDetail(query, written);
    }
    if (!isFetching()) written.clear();
  });

  return {
    add: (patch: Patch<T>) => void arrived.set(patch.id, { ...arrived.get(patch.id), ...patch }),
    write: () => {
      for (const query of cache.findAll({ queryKey: listsKey(resource) })) patchList(query, arrived);
      for (const id of arrived.keys())
        for (const query of cache.findAll({ queryKey: detailKey(resource, id) })) patchDetail(query, arrived);
      if (isFetching()) for (const [id, patch] of arrived) written.set(id, { ...written.get(id), ...patch });
      arrived.clear();
    },
    clear: () => {
      arrived.clear();
      written.clear();
    },
  };
};

const isFilteredByState = ({ queryKey }: { queryKey: QueryKey }): boolean =>
  queryKey.some((part) => typeof part === 'object' && part !== null && 'state' in part);

/** Writes frames of the stream into the query cache, in batches. */
export const createLiveUpdates = (client: QueryClient) => {
  const devices = createPatches<Device>(client, 'devices');
  const pipelines = createPatches<Pipeline>(client, 'pipelines');
  let flushTimer: ReturnType<typeof setTimeout> | undefined;
  const stale = new Set<QueryKeyName>();
  let staleTimer: ReturnType<typeof setTimeout> | undefined;

  const flush = () => {
    flushTimer = undefined;
    devices.write();
    pipelines.write();
  };
  const soon = () => (flushTimer ??= setTimeout(flush, FLUSH_MS));

  const markStale = (names: readonly QueryKeyName[]) => {
    for (const name of names) stale.add(name);
    staleTimer ??= setTimeout(() => {
      staleTimer = undefined;
      for (const name of stale) void client.invalidateQueries({ queryKey: queryKeys[name] });
      stale.clear();
    }, STALE_MS);
  };

  let statesTimer: ReturnType<typeof setTimeout> | undefined;
  const markStatesStale = () => {
    statesTimer ??= setTimeout(() => {
      statesTimer = undefined;
      for (const queryKey of [listsKey('devices'), totalsKey('devices')]) {
        void client.invalidateQueries({ queryKey, refetchType: 'none' });
        void client.refetchQueries({ queryKey, type: 'active', predicate: isFilteredByState });
      }
    }, STATES_MS);
  };

  return {
    device: (frame: StreamFrame<'device'>) => {
      // A frame carries the last-seen time and the state, whichever of them changed.
      devices.add(frame);
      soon();
    },
    pipeline: (frame: StreamFrame<'pipeline'>) => {
      pipelines.add(frame);
      soon();
    },
    event: (event: Event) => {
      if (changesMetrics(event)) markStale(['telemetry']);
      if (changesState(event)) markStatesStale();
      const after = staleAfterEvent(event.type);
      if (after === 'everything') void client.invalidateQueries();
      else markStale(['latestEvents', ...after]);
    },
    storage: () => void client.invalidateQueries({ queryKey: queryKeys.storage }),
    /** The stream opened: what was requested before may lack later changes. Series are read again by their charts. */
    start: () => {
      const requested = client.getQueryCache().findAll({
        predicate: ({ queryKey: [name] }) => liveNames.has(name) && name !== queryKeys.telemetry[0],
      });
      // One by one: a slow response must not delay what is on the page already.
      for (const query of requested)
        void Promise.allSettled([query.promise]).then(() =>
          client.invalidateQueries({ queryKey: query.queryKey, exact: true }),
        );
    },
    gap: () => {
      // Only the responses contain the changes of the gap: earlier frames must not replace them.
      devices.clear();
      pipelines.clear();
      void client.invalidateQueries();
    },
  };
};

import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import type { Device } from '#contract/devices.ts';
import type { Event } from '#contract/events.ts';
import type { Page } from '#contract/paging.ts';
import type { Pipeline } from '#contract/pipelines.ts';
import type { StreamFrame } from '#contract/stream.ts';
import { detailKey, listsKey, queryKeys, type QueryKeyName } from '../query-keys.ts';
import { staleAfterEvent } from './stale-after-event.ts';

/** Frames come by the hundred; the cache is written at most this often. */
const FLUSH_MS = 250;
/** What events make stale is read again at most this often: a thousand devices may register in a second. */
const STALE_MS = 1_000;

type Pages<T> = InfiniteData<Page<T>, string | null>;
type Patch<T> = Partial<T> & { id: string };

const patched = <T extends { id: string }>(item: T, patches: ReadonlyMap<string, Patch<T>>): T => {
  const patch = patches.get(item.id);
  return patch === undefined ? item : { ...item, ...patch };
};

/** Patches rows wherever they are on screen; a page without any of them stays the same object. */
const patchEverywhere = <T extends { id: string }>(
  client: QueryClient,
  resource: 'devices' | 'pipelines',
  patches: ReadonlyMap<string, Patch<T>>,
) => {
  client.setQueriesData<Pages<T>>({ queryKey: listsKey(resource) }, (pages) => {
    if (pages === undefined) return undefined;
    const next = pages.pages.map((page) =>
      page.data.some((item) => patches.has(item.id))
        ? { ...page, data: page.data.map((item) => patched(item, patches)) }
        : page,
    );
    return next.every((page, index) => page === pages.pages[index]) ? pages : { ...pages, pages: next };
  });
  for (const id of patches.keys()) {
    client.setQueryData<T>(detailKey(resource, id), (item) => item && patched(item, patches));
  }
};

/** Writes what the stream tells into the query cache, in batches. */
export const createLiveUpdates = (client: QueryClient) => {
  const devices = new Map<string, Patch<Device>>();
  const pipelines = new Map<string, Patch<Pipeline>>();
  let flushTimer: ReturnType<typeof setTimeout> | undefined;
  const stale = new Set<QueryKeyName>();
  let staleTimer: ReturnType<typeof setTimeout> | undefined;

  const flush = () => {
    flushTimer = undefined;
    if (devices.size > 0) patchEverywhere<Device>(client, 'devices', devices);
    if (pipelines.size > 0) patchEverywhere<Pipeline>(client, 'pipelines', pipelines);
    devices.clear();
    pipelines.clear();
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

  return {
    device: (frame: StreamFrame<'device'>) => {
      // A frame for a device that was only seen, or one whose state changed: both are in it.
      devices.set(frame.id, { ...devices.get(frame.id), ...frame });
      soon();
    },
    pipeline: (frame: StreamFrame<'pipeline'>) => {
      pipelines.set(frame.id, { ...pipelines.get(frame.id), ...frame });
      soon();
    },
    event: (event: Event) => {
      const after = staleAfterEvent(event.type);
      if (after === 'everything') void client.invalidateQueries();
      else markStale(['latestEvents', ...after]);
    },
    storage: () => void client.invalidateQueries({ queryKey: queryKeys.storage }),
    gap: () => void client.invalidateQueries(),
  };
};

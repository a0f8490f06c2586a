import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import type { Device } from '#contract/devices.ts';
import type { Event } from '#contract/events.ts';
import type { Page } from '#contract/paging.ts';
import type { Pipeline } from '#contract/pipelines.ts';
import type { StreamFrame } from '#contract/stream.ts';

/** Frames come by the hundred; the cache is written at most this often. */
const FLUSH_MS = 250;
/** What events make stale is read again at most this often: a thousand devices may register in a second. */
const STALE_MS = 1_000;

/** The second half of the types of events that a frame tells in full. (That of a pipeline's state lacks the reason.) */
const STATE_EVENTS = new Set(['online', 'late', 'offline']);

type Pages<T> = InfiniteData<Page<T>, string | null>;
type Patch<T> = Partial<T> & { id: string };

const patched = <T extends { id: string }>(item: T, patches: ReadonlyMap<string, Patch<T>>): T => {
  const patch = patches.get(item.id);
  return patch === undefined ? item : { ...item, ...patch };
};

/** Patches rows wherever they are on screen; a page without any of them stays the same object. */
const patchEverywhere = <T extends { id: string }>(
  client: QueryClient,
  resource: string,
  patches: ReadonlyMap<string, Patch<T>>,
) => {
  client.setQueriesData<Pages<T>>({ queryKey: [resource, 'list'] }, (pages) => {
    if (pages === undefined) return undefined;
    const next = pages.pages.map((page) =>
      page.data.some((item) => patches.has(item.id))
        ? { ...page, data: page.data.map((item) => patched(item, patches)) }
        : page,
    );
    return next.every((page, index) => page === pages.pages[index]) ? pages : { ...pages, pages: next };
  });
  for (const id of patches.keys()) {
    client.setQueryData<T>([resource, 'detail', id], (item) => item && patched(item, patches));
  }
};

/** Writes what the stream tells into the query cache, in batches. */
export const createLiveUpdates = (client: QueryClient) => {
  const devices = new Map<string, Patch<Device>>();
  const pipelines = new Map<string, Patch<Pipeline>>();
  let flushTimer: ReturnType<typeof setTimeout> | undefined;
  const stale = new Set<string>();
  let staleTimer: ReturnType<typeof setTimeout> | undefined;

  const flush = () => {
    flushTimer = undefined;
    if (devices.size > 0) patchEverywhere<Device>(client, 'devices', devices);
    if (pipelines.size > 0) patchEverywhere<Pipeline>(client, 'pipelines', pipelines);
    devices.clear();
    pipelines.clear();
  };
  const soon = () => (flushTimer ??= setTimeout(flush, FLUSH_MS));

  const markStale = (resource: string) => {
    stale.add(resource);
    staleTimer ??= setTimeout(() => {
      staleTimer = undefined;
      for (const key of stale) void client.invalidateQueries({ queryKey: [key] });
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
      // The service corrects times of every resource after a jump.
      if (event.type === 'service.clock-jumped') void client.invalidateQueries();
      markStale('events');
      const [resource = '', what = ''] = event.type.split('.');
      if (resource === 'device' || resource === 'pipeline') markStale('overview');
      // States come as frames of their own; what else happened is read again.
      if (!STATE_EVENTS.has(what)) markStale(`${resource}s`);
    },
    storage: () => void client.invalidateQueries({ queryKey: ['storage'] }),
    gap: () => void client.invalidateQueries(),
  };
};

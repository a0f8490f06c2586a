import type { KillableService } from './killable-service.ts';

/** All items of a list of the API. */
export const listAll = async <T>(service: KillableService, path: string): Promise<T[]> => {
  const items: T[] = [];
  let next = '';
  for (;;) {
    const { status, body } = await service.call('GET', `${path}?limit=200${next}`);
    if (status !== 200) throw new Error(`${path} is answered with ${status}: ${JSON.stringify(body)}`);
    const { data, nextCursor } = body as { data: T[]; nextCursor: string | null };
    items.push(...data);
    if (nextCursor === null) return items;
    next = `&cursor=${encodeURIComponent(nextCursor)}`;
  }
};

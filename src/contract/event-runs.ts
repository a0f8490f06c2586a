import type { Event, ListedEvent } from './events.ts';

/** The least number of events that are shown as one entry. */
export const RUN_LENGTH = 5;

const MINUTE_MS = 60_000;
/** What happens to many devices at once. */
const RUN_TYPES = new Set([
  'device.registered',
  'device.updated',
  'device.deleted',
  'device.restored',
  'device.online',
  'device.late',
  'device.offline',
]);

/** Whether a device was registered because it sent a message. */
export const isFirstSight = ({ data }: Pick<Event, 'data'>): boolean => data['firstSight'] === true;

/**
 * Events with the same key are a run, unless an event without a key is between them: devices that changed to one state in a
 * minute, or were registered, updated, deleted or restored in the same way by the same actor. Null: never in a run.
 */
export const runKeyOf = ({ type, at, actor, data }: Omit<Event, 'id' | 'subject'>): string | null => {
  // A metric of a device was described.
  if (!RUN_TYPES.has(type) || 'metric' in data) return null;
  const fields = Array.isArray(data['fields']) ? data['fields'].join(',') : '';
  const minute = Math.floor(Date.parse(at) / MINUTE_MS);
  return `${type} ${isFirstSight({ data })} ${fields} ${actor?.id ?? ''} ${minute}`;
};

/** Stands for the events that are in one run if there are enough of them; compared by identity. */
export type RunGroup = { readonly key: string | null; readonly subjects: Set<string> };
export type RunMember = { readonly event: ListedEvent; readonly group: RunGroup };

/**
 * Assigns the events of a list to groups, in the order of the list. An event without a key is alone in its group. A device
 * is in a group once, so that the length of a run is the number of its devices.
 */
export const createRunGroups = () => {
  /** The groups since the last event without a key. */
  const open = new Map<string, RunGroup>();
  let count = 0;
  return {
    count: (): number => count,
    groupOf: (event: ListedEvent): RunGroup => {
      const key = runKeyOf(event);
      if (key === null) open.clear();
      const known = open.get(key ?? '');
      if (known !== undefined && !known.subjects.has(event.subject.id)) {
        known.subjects.add(event.subject.id);
        return known;
      }
      count += 1;
      const group = { key, subjects: new Set([event.subject.id]) };
      if (key !== null) open.set(key, group);
      return group;
    },
  };
};

/** Makes one entry of each group with enough events, at its first one. Members that are runs themselves are joined. */
export const collapseGroups = (members: readonly RunMember[]): ListedEvent[] => {
  const runs = new Map<RunGroup, NonNullable<ListedEvent['run']>>();
  for (const { event, group } of members) {
    const { count, firstAt, lastAt } = event.run ?? { count: 1, firstAt: event.at, lastAt: event.at };
    const run = runs.get(group);
    runs.set(
      group,
      run === undefined
        ? { count, firstAt, lastAt }
        : {
            count: run.count + count,
            firstAt: firstAt < run.firstAt ? firstAt : run.firstAt,
            lastAt: lastAt > run.lastAt ? lastAt : run.lastAt,
          },
    );
  }
  const entered = new Set<RunGroup>();
  return members.flatMap(({ event, group }) => {
    const run = runs.get(group);
    if (run === undefined || run.count < RUN_LENGTH) return event;
    if (entered.has(group)) return [];
    entered.add(group);
    return { ...event, run };
  });
};

import { ArrowUp } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState, type KeyboardEvent } from 'react';
import type { ListedEvent } from '#contract/events.ts';
import { isInRun, isRun, rowIdsOf } from '../../resources/events/event-run.ts';
import { Button } from '../../ui/controls/button.tsx';
import { useClock } from '../../ui/browser/clock.ts';
import { plural } from '../../ui/format/format-number.ts';
import { formatDay, timeZoneChoice } from '../../ui/format/format-time.ts';
import { useStoredChoice } from '../../ui/browser/stored-choice.ts';
import { useKeptFocus } from '../../ui/browser/kept-focus.ts';
import { useMediaQuery } from '../../ui/browser/media-query.ts';
import { useVirtualRows } from '../../ui/table/use-virtual-rows.ts';
import type { pagingProps } from '../../ui/table/data-table-props.ts';
import { MoreRows, useMoreRows } from '../../ui/table/more-rows.tsx';
import { ActivityRow } from './activity-row.tsx';
import type { Activity } from './use-activity.ts';
import { useStaleClass } from '../../ui/feedback/stale-class.ts';
import { cx } from '../../ui/browser/cx.ts';

type Props = {
  activity: Pick<Activity, 'events' | 'arrivedMs' | 'heldCount'>;
  paging: Omit<ReturnType<typeof pagingProps>, 'isLoading'>;
  /** The row whose details are open. */
  openId: string | null;
  onOpen: (id: string | null) => void;
  onSubject: (id: string) => void;
  /** Shows the new events that are held back. */
  onRelease: () => void;
};

type Item = { kind: 'day' | 'event'; id: string; day: string } & (
  | { kind: 'day' }
  | { kind: 'event'; event: ListedEvent }
);
type EventItem = Extract<Item, { kind: 'event' }>;

const DAY_MS = 86_400_000;

/** Events with the days between them; the first day is in the header. */
const itemsOf = (events: readonly ListedEvent[], dayName: (ms: number) => string): Item[] => {
  const ids = rowIdsOf(events);
  const items: Item[] = [];
  let last: string | undefined;
  for (const [index, event] of events.entries()) {
    const day = dayName(Date.parse(event.at));
    if (last !== undefined && day !== last) items.push({ kind: 'day', id: `day ${day}`, day });
    items.push({ kind: 'event', id: ids[index] ?? event.id, event, day });
    last = day;
  }
  return items;
};

/** The index of a row, or of the run that its event has become part of since; -1: none. */
const indexOfRow = (items: readonly Item[], { id, event }: Pick<EventItem, 'id'> & Partial<EventItem>) => {
  const index = items.findIndex((item) => item.kind === 'event' && item.id === id);
  if (index !== -1 || event === undefined) return index;
  return items.findIndex((item) => item.kind === 'event' && isRun(item.event) && isInRun(event, item.event));
};

/** The events by day, loaded on scroll; arrow keys move between rows. */
export const ActivityList = (props: Props) => {
  const { openId, onOpen } = props;
  const { events, arrivedMs, heldCount } = props.activity;
  const { isStale } = props.paging;
  const zone = useStoredChoice(timeZoneChoice);
  const today = useClock((nowMs) => formatDay(nowMs, zone));
  const yesterday = useClock((nowMs) => formatDay(nowMs - DAY_MS, zone));
  const items = itemsOf(events, (ms) => formatDay(ms, zone));
  const rowPx = useMediaQuery('(pointer: coarse)') ? 44 : 36;
  const head = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLOListElement>(null);
  const focusId = useRef<string>(undefined);
  const focused = useRef<Element>(null);
  const isReleasing = useRef(false);
  const [active, setActive] = useState<EventItem | null>(null);
  const activeIndex = Math.max(0, indexOfRow(items, active ?? { id: openId ?? '' }));
  const { virtualItems, totalPx, offsetPx, measure, scrollTo, first, last } = useRows({
    items,
    rowPx,
    body,
    keep: activeIndex,
  });

  useKeptFocus(head, String(heldCount > 0));
  useMoreRows(props.paging, { count: items.length, last });
  const staleClass = useStaleClass(isStale);

  // Events may collapse into a run while one of them has the focus, which is lost with its row.
  useEffect(() => {
    if (active === null || focused.current === null || focused.current.isConnected) return;
    focused.current = null;
    const index = indexOfRow(items, active);
    body.current
      ?.querySelector<HTMLElement>(`[data-index="${index}"] [data-row-toggle]`)
      ?.focus({ preventScroll: true });
  });

  // The row may be rendered only after the scroll; an effect of an earlier render may still run after the key.
  useEffect(() => {
    if (focusId.current === undefined || focusId.current !== active?.id) return;
    const toggle = body.current?.querySelector<HTMLElement>(
      `[data-index="${activeIndex}"] [data-row-toggle]`,
    );
    if (toggle == null) return;
    focusId.current = undefined;
    toggle.focus({ preventScroll: true });
  });

  const moveTo = (index: number, step: 1 | -1) => {
    let next = Math.min(Math.max(0, index), items.length - 1);
    if (items[next]?.kind === 'day') next += step;
    const item = items[next];
    if (item?.kind !== 'event') return;
    setActive(item);
    focusId.current = item.id;
    scrollTo(next);
  };

  // The button of the held events disappears, and the newest of them gets the focus.
  const focusNewest = useEffectEvent(() => moveTo(0, 1));
  useEffect(() => {
    if (!isReleasing.current || heldCount > 0) return;
    isReleasing.current = false;
    focusNewest();
  }, [heldCount]);

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const target = event.target as HTMLElement;
    if (!target.matches('[data-row-toggle]') || event.altKey || event.ctrlKey || event.metaKey) return;
    const perPage = Math.max(1, Math.floor(window.innerHeight / rowPx) - 3);
    const moves: Record<string, [number, 1 | -1]> = {
      ArrowDown: [activeIndex + 1, 1],
      ArrowUp: [activeIndex - 1, -1],
      PageDown: [activeIndex + perPage, 1],
      PageUp: [activeIndex - perPage, -1],
      Home: [0, 1],
      End: [items.length - 1, -1],
    };
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    moveTo(...move);
  };

  const dayLabel = (day: string) =>
    day === today ? `Today, ${day}` : day === yesterday ? `Yesterday, ${day}` : day;
  const firstDay = items[Math.min(first, items.length - 1)]?.day ?? '';
  return (
    <div className="rounded-md border border-hairline bg-surface" aria-busy={isStale}>
      <div
        ref={head}
        className="sticky top-0 z-10 flex min-h-9 items-center gap-3 rounded-t-md border-b border-hairline bg-surface px-4"
      >
        <h2 className="tabular text-sm font-semibold">{dayLabel(firstDay)}</h2>
        {heldCount > 0 && (
          <Button
            variant="primary"
            icon={<ArrowUp aria-hidden className="size-4" />}
            onClick={() => {
              isReleasing.current = true;
              props.onRelease();
            }}
            className="ml-auto h-7 text-sm touch:h-11"
          >
            {plural(heldCount, 'new event')}
          </Button>
        )}
        <output className="sr-only">{heldCount > 0 && `${plural(heldCount, 'new event')} above`}</output>
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys come from its buttons */}
      <ol
        ref={body}
        aria-label="Events"
        onKeyDown={onKeyDown}
        onFocus={({ target }) => {
          focused.current = target;
        }}
        onBlur={() => {
          focused.current = null;
        }}
        className={cx('relative', staleClass)}
        style={{ height: totalPx }}
      >
        {virtualItems.map(({ index, key, start }) => {
          const item = items[index];
          if (item === undefined) return null;
          return (
            <li
              key={key}
              ref={measure}
              data-index={index}
              style={{ transform: `translateY(${start - offsetPx}px)` }}
              className="absolute inset-x-0 top-0"
            >
              {item.kind === 'day' ? (
                <h2 className="tabular flex h-9 items-center border-b border-hairline bg-sunken px-4 text-sm font-semibold">
                  {dayLabel(item.day)}
                </h2>
              ) : (
                <ActivityRow
                  event={item.event}
                  arrivedMs={arrivedMs.get(item.event.id)}
                  isActive={index === activeIndex}
                  isOpen={item.id === openId}
                  onFocusRow={() => setActive(item)}
                  onToggle={() => onOpen(item.id === openId ? null : item.id)}
                  onSubject={props.onSubject}
                />
              )}
            </li>
          );
        })}
      </ol>
      <MoreRows kind="events" {...props.paging} />
    </div>
  );
};

type RowsOptions = Pick<Parameters<typeof useVirtualRows>[0], 'body' | 'keep'> & {
  items: readonly Item[];
  rowPx: number;
};

const useRows = ({ items, rowPx, ...rest }: RowsOptions) => {
  const { items: virtualItems, ...rows } = useVirtualRows({
    count: items.length,
    estimatePx: rowPx,
    rowKey: (index) => items[index]?.id ?? index,
    ...rest,
  });
  return { virtualItems, ...rows };
};

import { useDeferredValue, useEffect, useEffectEvent, useState, type RefObject } from 'react';

/** Rows drawn beyond each edge of the window. */
const OVERSCAN = 6;
/** Rows that one frame of a scroll draws beyond the edges. Two frames keep up with a turn of the wheel. */
const DRAWN_AT_ONCE = 5;
/** Room for the sticky head above and the bottom bar of a phone below. */
const HEAD_PX = 48;
const FOOT_PX = 72;

type RowsToDraw = {
  count: number;
  rowPx: number;
  /** Identifies the list: the visible rows of another one are drawn first. */
  listKey: string | undefined;
};

const clamp = (value: number, least: number, most: number) => Math.max(least, Math.min(value, most));

/**
 * The visible rows of equal height. Renders only when the first or the last one changes, and positions rows by
 * arithmetic: measuring would slow scrolling, and its code adds 11 kB to the first page. The visible rows of another
 * list are drawn first, those beyond the edges after their paint. A scroll draws visible rows at once, and others a few in
 * each frame.
 */
export const useWindowRows = (body: RefObject<HTMLElement | null>, { count, rowPx, listKey }: RowsToDraw) => {
  // A page starts at its top; otherwise a scroll event or the observer follows.
  const [sight, setSight] = useState(() => ({
    first: 0,
    perWindow: Math.ceil(window.innerHeight / rowPx) + 1,
    from: 0,
  }));
  const { first, perWindow } = sight;
  const last = Math.min(count - 1, first + perWindow - 1);
  const beyond = useDeferredValue(listKey, '') === listKey ? 2 * OVERSCAN : 0;
  const length = Math.min(count, perWindow + beyond);
  const highest = Math.max(0, count - length);
  const from = clamp(sight.from, Math.max(0, last - length + 1), Math.min(first, highest));

  /** Where the drawn rows begin in the next frame, to surround the visible ones. */
  const nextFrom = (firstRow: number) =>
    clamp(clamp(firstRow - beyond / 2, 0, highest), from - DRAWN_AT_ONCE, from + DRAWN_AT_ONCE);
  const follow = useEffectEvent(() => {
    // Read once per scroll, before rendering: reading later would lay out the page twice.
    const topPx = body.current?.getBoundingClientRect().top ?? 0;
    const belowPx = window.innerHeight - Math.max(0, topPx);
    const next = {
      first: Math.max(0, Math.floor(-topPx / rowPx)),
      perWindow: Math.max(0, Math.ceil(belowPx / rowPx)) + 1,
    };
    if (sight.first !== next.first || sight.perWindow !== next.perWindow)
      setSight({ ...next, from: nextFrom(next.first) });
  });
  useEffect(() => {
    const update = () => follow();
    // What is above the table may appear, grow and go.
    const observer = new ResizeObserver(update);
    observer.observe(document.body);
    window.addEventListener('scroll', update, { passive: true });
    window.addEventListener('resize', update);
    return () => {
      observer.disconnect();
      window.removeEventListener('scroll', update);
      window.removeEventListener('resize', update);
    };
  }, []);

  const fromNext = nextFrom(first);
  useEffect(() => {
    if (fromNext === from) return undefined;
    // A scroll may have changed what is visible meanwhile.
    const frame = requestAnimationFrame(() => setSight((latest) => ({ ...latest, from: fromNext })));
    return () => cancelAnimationFrame(frame);
  }, [from, fromNext]);

  /** Scrolls the least distance that makes a row visible. */
  const scrollTo = (index: number) => {
    const bodyTop = (body.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
    const topPx = bodyTop + index * rowPx;
    const highestPx = topPx - HEAD_PX;
    const lowestPx = topPx + rowPx + FOOT_PX - window.innerHeight;
    if (window.scrollY > highestPx) window.scrollTo({ top: highestPx });
    else if (window.scrollY < lowestPx) window.scrollTo({ top: lowestPx });
  };

  return {
    /** Visible. */
    first,
    last,
    /** Rendered. */
    from,
    to: from + length - 1,
    scrollTo,
  };
};

/** A drawn row and the key of its element. */
type DrawnRow = { id: string; index: number; key: number };

/** Elements are put in order when the rows have rested for this time, a few at a time. */
const REST_MS = 200;
const MOVED_AT_ONCE = 8;

/** Whether the keyboard moves in the table. */
const hasFocus = () => document.activeElement?.closest('[data-index]') != null;

/**
 * The rows to draw, in the order of their elements. While rows scroll, or when another list replaces them, those that come get the
 * elements of those that go: changing texts is several times faster than creating elements. If most rows stay, or while one is
 * focused, new rows get new elements at their places.
 */
const drawRows = (before: readonly DrawnRow[], drawn: ReadonlyMap<string, number>, isSameList: boolean) => {
  const known = new Map(before.map(({ id, key }) => [id, key]));
  const coming = [...drawn.keys()].filter((id) => !known.has(id));
  let next = Math.max(-1, ...known.values()) + 1;
  const draw = (id: string, key = next++): DrawnRow => ({ id, index: drawn.get(id) ?? 0, key });
  const isOtherList = coming.length > drawn.size / 2;
  if (hasFocus() || !(isSameList || isOtherList))
    return [...drawn.keys()].map((id) => draw(id, known.get(id)));
  const kept = before.flatMap(({ id, key }) => {
    const taker = drawn.has(id) ? id : coming.shift();
    return taker === undefined ? [] : [draw(taker, key)];
  });
  return [...kept, ...coming.map((id) => draw(id))];
};

const isInOrder = (rows: readonly DrawnRow[]) =>
  rows.every(({ index }, place) => index >= (rows[place - 1]?.index ?? 0));

/** Moves the first few rows that precede an earlier one behind it. */
const moveSome = (rows: readonly DrawnRow[]): DrawnRow[] => {
  const moved = rows
    .filter(({ index }, place) => rows.some((other, later) => later > place && other.index < index))
    .slice(0, MOVED_AT_ONCE);
  const rest = rows.filter((row) => !moved.includes(row));
  for (const row of moved) rest.splice(rest.findLastIndex(({ index }) => index < row.index) + 1, 0, row);
  return rest;
};

/** The rows of these indexes with the keys of their elements, in the order of the elements. */
export const useDrawnRows = (ids: readonly string[], indexes: readonly number[]): readonly DrawnRow[] => {
  'use no memo';
  const [rows, setRows] = useState<readonly DrawnRow[]>([]);
  const drawn = new Map(indexes.map((index) => [ids[index] ?? '', index]));
  const isDrawn = rows.length === drawn.size && rows.every(({ id, index }) => drawn.get(id) === index);
  if (!isDrawn)
    setRows(
      drawRows(
        rows,
        drawn,
        rows.every(({ id, index }) => ids[index] === id),
      ),
    );
  useEffect(() => {
    if (isInOrder(rows)) return undefined;
    const timer = setTimeout(() => setRows(moveSome), REST_MS);
    return () => clearTimeout(timer);
  }, [rows]);
  return rows;
};

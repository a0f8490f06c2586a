import { useDeferredValue, useEffect, useState, type RefObject } from 'react';

/** Rows drawn beyond the window's edges, so that a fast wheel shows no gap. */
const OVERSCAN = 6;
/** Room for the sticky head above and the bottom bar of a phone below. */
const HEAD_PX = 48;
const FOOT_PX = 72;

type RowsToDraw = {
  count: number;
  rowPx: number;
  /** Identifies the list: another one is drawn as a whole. */
  listKey: string | undefined;
};

/**
 * The visible rows of equal height. Renders only when the first or the last one changes, and positions rows by
 * arithmetic: measuring would slow scrolling, and its code adds 11 kB to the first page. The visible rows of another
 * list are drawn first, those beyond the edges after their paint.
 */
export const useWindowRows = (body: RefObject<HTMLElement | null>, { count, rowPx, listKey }: RowsToDraw) => {
  // A page starts at its top; otherwise a scroll event or the observer follows.
  const [{ first, perWindow }, setSight] = useState(() => ({
    first: 0,
    perWindow: Math.ceil(window.innerHeight / rowPx) + 1,
  }));
  const isPainted = useDeferredValue(listKey, '') === listKey;
  const overscan = isPainted ? OVERSCAN : 0;

  useEffect(() => {
    // Read once per scroll, before rendering: reading later would lay out the page twice.
    const update = () => {
      const topPx = body.current?.getBoundingClientRect().top ?? 0;
      const belowPx = window.innerHeight - Math.max(0, topPx);
      const next = {
        first: Math.max(0, Math.floor(-topPx / rowPx)),
        perWindow: Math.max(0, Math.ceil(belowPx / rowPx)) + 1,
      };
      setSight((sight) => (sight.first === next.first && sight.perWindow === next.perWindow ? sight : next));
    };
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
  }, [body, rowPx]);

  /** Scrolls the least distance that makes a row visible. */
  const scrollTo = (index: number) => {
    const bodyTop = (body.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
    const topPx = bodyTop + index * rowPx;
    const highest = topPx - HEAD_PX;
    const lowest = topPx + rowPx + FOOT_PX - window.innerHeight;
    if (window.scrollY > highest) window.scrollTo({ top: highest });
    else if (window.scrollY < lowest) window.scrollTo({ top: lowest });
  };

  const last = Math.min(count - 1, first + perWindow - 1);
  return {
    /** Visible. */
    first,
    last,
    /** Rendered. */
    from: Math.max(0, first - overscan),
    to: Math.min(count - 1, last + overscan),
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

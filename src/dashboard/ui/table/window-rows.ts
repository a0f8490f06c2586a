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

type ElementKeys = {
  /** Of the rows when the keys were assigned. */
  ids: readonly string[];
  /** By the ID of a row. */
  keys: ReadonlyMap<string, number>;
};

/**
 * Keys of the drawn rows. The rows of another list get the elements of those at their places: changing texts is several
 * times faster than creating elements. If most rows stay, or while one is focused, each keeps its own.
 */
export const useElementKeys = (ids: readonly string[], { from, to }: { from: number; to: number }) => {
  'use no memo';
  const [assigned, setAssigned] = useState<ElementKeys>({ ids: [], keys: new Map() });
  const known = assigned.ids.slice(from, to + 1);
  if (ids.length > assigned.ids.length || known.some((id, offset) => id !== ids[from + offset])) {
    const visible = ids.slice(from, to + 1);
    const isOtherList = visible.filter((id) => !known.includes(id)).length > visible.length / 2;
    const hasFocus = document.activeElement?.closest('[data-index]') != null;
    const drawn = ids.slice(from, to + 1 + OVERSCAN);
    const keys = isOtherList && !hasFocus ? new Map(drawn.map((id, place) => [id, place])) : assigned.keys;
    setAssigned({ ids, keys });
  }
  return (id: string) => assigned.keys.get(id) ?? id;
};

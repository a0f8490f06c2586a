import {
  useDeferredValue,
  useEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
} from 'react';
import { useHref, useNavigate } from 'react-router-dom';
import { useDebounced } from '../browser/debounced.ts';
import { keepFocusOnPage } from '../browser/focus-fallback.ts';
import type { DataTableProps, Selection } from './data-table-props.ts';
import { useRowSelection } from './row-selection.ts';

/** The next page loads when fewer rows than this remain below. */
const AHEAD_ROWS = 30;

/**
 * Loads more rows when the last ones come near. Waits while the list is read again: each of the two cancels the other.
 */
export const useMoreRows = <Row>(
  { rows, hasMore = false, isFetching = false, loadMoreFailed = false, onLoadMore }: DataTableProps<Row>,
  last: number,
) => {
  const isNearEnd = rows.length > 0 && last >= rows.length - AHEAD_ROWS;
  useEffect(() => {
    if (isNearEnd && hasMore && !isFetching && !loadMoreFailed) onLoadMore?.();
  }, [isNearEnd, hasMore, isFetching, loadMoreFailed, onLoadMore]);
};

/** Most searches are answered sooner: to dim their rows would only delay the new ones. */
const DIM_AFTER_MS = 300;

/** Whether the rows have belonged to the previous query for so long that this should be visible. */
export const useIsDimmed = ({ isStale = false }: { isStale?: boolean }) =>
  useDebounced(isStale, DIM_AFTER_MS) && isStale;

type RowKeys = {
  body: { current: HTMLElement | null };
  /** The IDs of the rows, in order. */
  ids: readonly string[];
  selection: Selection | undefined;
  perPage: number;
  scrollTo: (index: number) => void;
};

/** Moves between rows by keyboard, and selects them; Tab reaches one row. `select` is undefined without a selection. */
export const useRowKeys = ({ body, ids, selection, perPage, scrollTo }: RowKeys) => {
  const [active, setActive] = useState(0);
  const focusIndex = useRef<number>(undefined);
  const activeIndex = Math.min(active, Math.max(0, ids.length - 1));
  const { select, extend, startOver } = useRowSelection({ ids, selection });

  // The row may be rendered only after the scroll; an effect of an earlier render may still run after the key.
  useEffect(() => {
    if (focusIndex.current !== activeIndex) return;
    const link = body.current?.querySelector<HTMLElement>(`[data-index="${activeIndex}"] [data-row-link]`);
    if (link == null) return;
    focusIndex.current = undefined;
    link.focus({ preventScroll: true });
  });

  // A deleted row takes its focus along: the row in its place gets it.
  const hadFocus = useRef(false);
  useEffect(() => {
    const note = ({ target }: FocusEvent) => {
      hadFocus.current = target instanceof Node && body.current?.contains(target) === true;
    };
    document.addEventListener('focusin', note);
    return () => document.removeEventListener('focusin', note);
  }, [body]);
  useEffect(() => {
    if (hadFocus.current && ids.length > 0) keepFocusOnPage();
  }, [ids]);

  const moveTo = (index: number) => {
    setActive(index);
    focusIndex.current = index;
    // The first row scrolls to the top of the page.
    if (index === 0) window.scrollTo({ top: 0 });
    else scrollTo(index);
  };

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const target = event.target as HTMLElement;
    const isLink = target.matches('[data-row-link]');
    if (!isLink && !target.matches('input[type=checkbox]')) return;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const steps: Record<string, number> = {
      ArrowDown: activeIndex + 1,
      ArrowUp: activeIndex - 1,
      PageDown: activeIndex + perPage,
      PageUp: activeIndex - perPage,
      Home: 0,
      End: ids.length - 1,
    };
    const step = steps[event.key];
    const id = ids[activeIndex];
    if (step !== undefined) {
      event.preventDefault();
      const next = Math.min(Math.max(0, step), ids.length - 1);
      if (event.shiftKey && selection !== undefined) extend(activeIndex, next);
      else startOver();
      moveTo(next);
    } else if (event.key === ' ' && isLink && selection !== undefined && id !== undefined) {
      event.preventDefault();
      select(id, !selection.isSelected(id), event.shiftKey);
    }
  };
  return { activeIndex, setActive, onKeyDown, select: selection === undefined ? undefined : select };
};

/** Follows the links of rows. Other clicks than those of the primary button are the browser's. */
export const useRowLinks = () => {
  const navigate = useNavigate();
  const base = useHref('/');
  return {
    /** A path below the base path, or a query for this page. */
    hrefOf: (path: string) => (path.startsWith('/') && base !== '/' ? `${base}${path}` : path),
    onClick: (event: MouseEvent) => {
      const link = (event.target as Element).closest<HTMLElement>('[data-row-link]');
      const isPlain = !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
      if (link === null || event.button !== 0 || !isPlain) return;
      event.preventDefault();
      void navigate(link.dataset['rowLink'] ?? '');
    },
  };
};

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

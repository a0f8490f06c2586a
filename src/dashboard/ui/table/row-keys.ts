import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { keepFocusOnPage } from '../browser/focus-fallback.ts';
import type { Selection } from './data-table-props.ts';
import { useRowSelection } from './row-selection.ts';

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

  // The focus of a deleted row goes to the row in its place.
  const hadFocus = useRef(false);
  useEffect(() => {
    const record = ({ target }: FocusEvent) => {
      hadFocus.current = target instanceof Node && body.current?.contains(target) === true;
    };
    document.addEventListener('focusin', record);
    return () => document.removeEventListener('focusin', record);
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

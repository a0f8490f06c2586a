import { useEffectEvent, useLayoutEffect, useState, type RefObject } from 'react';
import { flushSync } from 'react-dom';
import type { Column } from './data-table-props.ts';

const CHECK_PX = 40;
const ACTIONS_PX = 48;
const GAPS_PX = 32;

/** The columns that fit the width; those with the highest `drop` are dropped first. */
export const fitColumns = <C extends Pick<Column<never>, 'min' | 'drop'>>(
  columns: readonly C[],
  widthPx: number,
): C[] => {
  const byDrop = columns.toSorted((a, b) => (a.drop ?? 0) - (b.drop ?? 0));
  const kept = new Set<C>();
  let left = widthPx;
  for (const column of byDrop) {
    left -= column.min;
    if ((column.drop ?? 0) > 0 && left < 0) break;
    kept.add(column);
  }
  return columns.filter((column) => kept.has(column));
};

const BORDERS_PX = 2;

/** Without a layout (a hidden tab, a test) all columns are shown. */
const roomOf = (widthPx = 0) => (widthPx === 0 ? Infinity : Math.floor(widthPx));

/**
 * The width of a table that fills the page. It is read before the table is in the page: after that, the browser would lay out all rows
 * to answer, and columns that do not fit would already have requested their data.
 */
const pageWidthPx = (): number => {
  const page = document.getElementById('main');
  if (page === null) return Infinity;
  const { paddingLeft, paddingRight } = getComputedStyle(page);
  const { width } = page.getBoundingClientRect();
  return roomOf(width && width - parseFloat(paddingLeft) - parseFloat(paddingRight) - BORDERS_PX);
};

export const useFittingColumns = <Row>(
  columns: readonly Column<Row>[],
  element: RefObject<HTMLElement | null>,
  { hasSelection, hasActions }: { hasSelection: boolean; hasActions: boolean },
) => {
  const [widthPx, setWidthPx] = useState(pageWidthPx);
  const fit = useEffectEvent((roomPx: number) => {
    // Before the paint, so that no column moves. Even without a change, it would run the effects of the page before the paint.
    if (roomPx !== widthPx) flushSync(() => setWidthPx(roomPx));
  });
  useLayoutEffect(() => {
    if (element.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => fit(roomOf(entry?.contentRect.width)));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);

  const roomPx = widthPx - (hasSelection ? CHECK_PX : 0) - (hasActions ? ACTIONS_PX : 0) - GAPS_PX;
  const fitting = fitColumns(columns, roomPx);
  const tracks = fitting.map(({ min, grow = 1 }) =>
    grow === 0 ? `${min}px` : `minmax(${min}px, ${grow}fr)`,
  );
  const template = [hasSelection ? `${CHECK_PX}px` : '', ...tracks, hasActions ? `${ACTIONS_PX}px` : '']
    .join(' ')
    .trim();
  return { columns: fitting, template };
};

import { defaultRangeExtractor, useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useState, type RefObject } from 'react';

type Options = {
  count: number;
  estimatePx: number;
  body: RefObject<HTMLElement | null>;
  /** Always rendered: the focused row. */
  keep: number;
  rowKey: (index: number) => string | number;
};

/** The visible rows and their positions. */
export const useVirtualRows = ({ count, estimatePx, body, keep, rowKey }: Options) => {
  // The virtualizer is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
  const [offsetPx, setOffsetPx] = useState(0);
  const isEmpty = count === 0;
  useLayoutEffect(() => {
    const update = () => {
      if (body.current !== null) setOffsetPx(body.current.getBoundingClientRect().top + window.scrollY);
    };
    update();
    const observer = new ResizeObserver(update);
    observer.observe(document.body);
    return () => observer.disconnect();
    // The body is rendered with the first rows.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies
  }, [body, isEmpty]);

  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: () => estimatePx,
    overscan: 6,
    scrollMargin: offsetPx,
    // Room for the sticky head above and the bottom bar of a phone below.
    scrollPaddingStart: 48,
    scrollPaddingEnd: 72,
    getItemKey: rowKey,
    rangeExtractor: (range) => {
      const indexes = defaultRangeExtractor(range);
      if (keep >= count || indexes.includes(keep)) return indexes;
      return [...indexes, keep].toSorted((a, b) => a - b);
    },
  });
  // Another estimate invalidates the measurements.
  // oxlint-disable-next-line react/exhaustive-effect-dependencies
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, estimatePx]);
  const range = virtualizer.range;
  return {
    items: virtualizer.getVirtualItems(),
    totalPx: virtualizer.getTotalSize(),
    offsetPx,
    measure: virtualizer.measureElement,
    scrollTo: (index: number) => virtualizer.scrollToIndex(index),
    first: range?.startIndex ?? 0,
    last: range?.endIndex ?? -1,
  };
};

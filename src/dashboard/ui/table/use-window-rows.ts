import { useEffect, useState, type RefObject } from 'react';

/** Rows drawn beyond the window's edges, so that a fast wheel shows no gap. */
const OVERSCAN = 6;
/** Room for the sticky head above and the bottom bar of a phone below. */
const HEAD_PX = 48;
const FOOT_PX = 72;

const rowsIn = (rowPx: number) => Math.ceil(window.innerHeight / rowPx) + 1;

/**
 * Which rows of one height are in sight of the window. Renders again only as the first or the last of them changes,
 * and places them by arithmetic alone: measuring each row would cost every scroll, and its code 11 kB of the first page.
 */
export const useWindowRows = (body: RefObject<HTMLElement | null>, count: number, rowPx: number) => {
  // A page begins at its top; where it does not, a scroll follows, or the first look.
  const [{ first, perWindow }, setSight] = useState(() => ({ first: 0, perWindow: rowsIn(rowPx) }));

  useEffect(() => {
    // Read once for each scroll, before anything is drawn: reading it while drawing would lay the page out twice.
    const look = () => {
      const abovePx = -(body.current?.getBoundingClientRect().top ?? 0);
      const next = {
        first: Math.max(0, Math.floor(abovePx / rowPx)),
        perWindow: rowsIn(rowPx),
      };
      setSight((sight) => (sight.first === next.first && sight.perWindow === next.perWindow ? sight : next));
    };
    const firstLook = requestAnimationFrame(look);
    window.addEventListener('scroll', look, { passive: true });
    window.addEventListener('resize', look);
    return () => {
      cancelAnimationFrame(firstLook);
      window.removeEventListener('scroll', look);
      window.removeEventListener('resize', look);
    };
  }, [body, rowPx]);

  /** Scrolls as little as brings a row into sight. */
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
    /** In sight. */
    first,
    last,
    /** Drawn. */
    from: Math.max(0, first - OVERSCAN),
    to: Math.min(count - 1, last + OVERSCAN),
    scrollTo,
  };
};

import { useQuery } from '@tanstack/react-query';
import { useLayoutEffect, useRef, type ReactNode } from 'react';
import { Failure } from '../../kit/failure.tsx';
import { EventList } from '../../resources/events/event-list.tsx';
import { cx } from '../../ui/browser/cx.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { overviewQueries } from './overview-queries.ts';

/** The rows of a narrow screen, and before the events are known. */
const NARROW_ROWS = 8;
/** Hides the rows after these; Tailwind reads whole class names only. */
const onlyNarrowRows = 'max-xl:[&_li:nth-child(n+9)]:hidden';

/** The latest events. On a wide screen as many as fit the height that the other column leaves. */
export const LatestEventsPanel = ({ className }: { className: string }) => {
  const { data, error, refetch } = useQuery(overviewQueries.latestEvents());
  return (
    <Panel title="Latest events" className={className} flush>
      {error !== null && data === undefined ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : data?.data.length === 0 ? (
        <EmptyState title="No events yet" />
      ) : (
        <FittingRows>
          <EventList events={data?.data} skeletonLines={NARROW_ROWS} />
        </FittingRows>
      )}
    </Panel>
  );
};

/** Hides rows that do not fit, also from Tab and from screen readers. They keep their place, so that they can be measured. */
const hideOverflow = (box: HTMLElement) => {
  const { bottom } = box.getBoundingClientRect();
  const isClipped = getComputedStyle(box).overflowY === 'hidden';
  for (const row of box.querySelectorAll('li'))
    row.style.visibility =
      isClipped && Math.floor(row.getBoundingClientRect().bottom) > bottom ? 'hidden' : '';
};

const FittingRows = ({ children }: { children: ReactNode }) => {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    hideOverflow(element);
    const observer = new ResizeObserver(() => hideOverflow(element));
    observer.observe(element);
    return () => observer.disconnect();
  });
  return (
    <div ref={box} className={cx('relative xl:h-full xl:min-h-48 xl:overflow-hidden', onlyNarrowRows)}>
      <div className="inset-x-0 top-0 xl:absolute">{children}</div>
    </div>
  );
};

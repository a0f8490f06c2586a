import { useQuery } from '@tanstack/react-query';
import { eventQueries } from '../../resources/events/event-queries.ts';
import { EventList } from '../../resources/events/event-list.tsx';
import { Failure } from '../../kit/failure.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { Panel } from '../../ui/layout/panel.tsx';

export const LATEST_EVENTS = 8;

export const LatestEvents = ({ className }: { className: string }) => {
  const { data, error, refetch } = useQuery(eventQueries.latest(LATEST_EVENTS));
  return (
    <Panel title="Latest events" className={className} flush>
      {error !== null && data === undefined ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : data?.data.length === 0 ? (
        <EmptyState title="Nothing has happened yet" />
      ) : (
        <EventList events={data?.data} skeletonLines={LATEST_EVENTS} />
      )}
    </Panel>
  );
};

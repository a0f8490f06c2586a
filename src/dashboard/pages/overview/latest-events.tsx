import { useQuery } from '@tanstack/react-query';
import { eventQueries } from '../../api/event-queries.ts';
import { EventList } from '../../event-list.tsx';
import { Failure } from '../../shell/failure.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Panel } from '../../ui/panel.tsx';

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

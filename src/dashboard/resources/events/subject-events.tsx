import { useQuery } from '@tanstack/react-query';
import { eventQueries } from './event-queries.ts';
import { useMay, useMayAsk } from '../../api/session-queries.ts';
import { EventList } from './event-list.tsx';
import { Failure } from '../../kit/failure.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { Panel } from '../../ui/layout/panel.tsx';

/** The latest of what happened to a device or a pipeline, newest first. */
export const SubjectEvents = ({ subjectId, limit }: { subjectId: string; limit: number }) => {
  const mayRead = useMay('events:read');
  const { data, error, refetch } = useQuery({
    ...eventQueries.latest(limit, subjectId),
    enabled: useMayAsk('events:read'),
  });
  if (!mayRead) return null;
  return (
    <Panel title="Events" flush>
      {error !== null && data === undefined ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : data?.data.length === 0 ? (
        <EmptyState title="Nothing has happened to it yet" />
      ) : (
        <EventList events={data?.data} hideSubject skeletonLines={3} />
      )}
    </Panel>
  );
};

import { capitalize } from '#contract/capitalize.ts';
import type { ListedEvent } from '#contract/events.ts';
import { paths, subjectPath, withQuery } from '../../paths.ts';
import { describeEvent, describeRun, subjectNoun } from './event-words.ts';
import { useHeldValue } from '../../ui/browser/steady-order.ts';
import { Link } from '../../ui/controls/link.tsx';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { Dot } from '../../ui/feedback/state-dot.tsx';
import { useQuery } from '@tanstack/react-query';
import { eventQueries } from './event-queries.ts';
import { isRun, rangeOfRun, runIdOf, type Run } from './event-run.ts';
import { useHasScope, useHasKnownScope } from '../../api/session-queries.ts';
import { Failure } from '../../kit/failure.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { Panel } from '../../ui/layout/panel.tsx';

type Props = {
  events: readonly ListedEvent[] | undefined;
  /** Hides the subject's name, for the page of the subject. */
  hideSubject?: boolean;
  skeletonLines?: number;
};

/** Events, newest first, with subject, actor and time. */
export const EventList = ({ events: latest, hideSubject = false, skeletonLines = 6 }: Props) => {
  const { held: events, holders } = useHeldValue(latest);
  if (events === undefined) {
    return (
      <div className="divide-y divide-hairline">
        {Array.from({ length: skeletonLines }, (_, index) => (
          <div key={index} className="flex h-9 items-center px-4">
            <Skeleton className="w-2/3" />
          </div>
        ))}
      </div>
    );
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- only holds the rows
    <ol {...holders} className="divide-y divide-hairline">
      {events.map((event, index) => (
        // By place: a new event changes the texts of the rows, and moves none.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={index} className="flex min-h-9 items-baseline gap-2.5 px-4 py-2">
          <Dot tone={describeEvent(event).tone} className="translate-y-[-1px]" />
          <span className="min-w-0 flex-1 break-words">
            {isRun(event) ? <RunLink run={event} /> : <Sentence event={event} hideSubject={hideSubject} />}
          </span>
          <RelativeTime at={event.at} className="text-sm text-muted" />
        </li>
      ))}
    </ol>
  );
};

/** A phrase without its subject: “was updated” becomes “Updated”. */
const sentenceOf = (phrase: string): string => capitalize(phrase.replace(/^(was|is) /, ''));

/** Opens the devices of a run in Activity. */
const RunLink = ({ run }: { run: Run }) => (
  <>
    <Link to={withQuery(paths.activity, { type: run.type, ...rangeOfRun(run), open: runIdOf(run) })}>
      {describeRun(run)}
    </Link>
    {run.actor !== null && <span className="text-muted"> by {run.actor.name}</span>}
  </>
);

const Sentence = ({ event, hideSubject }: { event: ListedEvent; hideSubject: boolean }) => {
  const { phrase } = describeEvent(event);
  const to = subjectPath(event.subject);
  const isOwnAction = event.actor !== null && event.actor.id === event.subject.id;
  return (
    <>
      {!hideSubject && subjectNoun(event)}
      {!hideSubject &&
        (to === null ? (
          <span className="font-medium">{event.subject.name}</span>
        ) : (
          <Link to={to}>{event.subject.name}</Link>
        ))}{' '}
      {hideSubject ? sentenceOf(phrase) : phrase}
      {event.actor !== null && !isOwnAction && <span className="text-muted"> by {event.actor.name}</span>}
    </>
  );
};

/** The latest events of a device or a pipeline, newest first. */
export const SubjectEvents = ({ subjectId, limit }: { subjectId: string; limit: number }) => {
  const canRead = useHasScope('events:read');
  const { data, error, refetch } = useQuery({
    ...eventQueries.latest(limit, subjectId),
    enabled: useHasKnownScope('events:read'),
  });
  if (!canRead) return null;
  return (
    <Panel
      title="Events"
      flush
      aside={<Link to={withQuery(paths.activity, { subject: subjectId })}>All events</Link>}
    >
      {error !== null && data === undefined ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : data?.data.length === 0 ? (
        <EmptyState title="No events yet" />
      ) : (
        <EventList events={data?.data} hideSubject skeletonLines={3} />
      )}
    </Panel>
  );
};

import { ChevronRight, ListFilter } from 'lucide-react';
import { useId, useState, type ReactNode } from 'react';
import { capitalize } from '#contract/capitalize.ts';
import type { Event, ListedEvent } from '#contract/events.ts';
import { subjectPath } from '../../paths.ts';
import { cx } from '../../ui/browser/cx.ts';
import { formatClock, formatExact, timeZoneChoice } from '../../ui/format/format-time.ts';
import type { TimeZone } from '../../ui/format/intl-formats.ts';
import { useStoredChoice } from '../../ui/browser/stored-choice.ts';
import { Link } from '../../ui/controls/link.tsx';
import { Dot } from '../../ui/feedback/state-dot.tsx';
import { isRun } from '../../resources/events/event-run.ts';
import { eventText, eventSentence, type Piece } from './event-sentence.ts';
import { RunDetails } from './run-details.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { KeyValueList } from '../../ui/layout/key-value-list.tsx';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { formatBoolean } from '../../ui/format/format-boolean.ts';

type Props = {
  event: ListedEvent;
  /** When the event arrived by the stream, in epoch ms. Left out: the event was queried. */
  arrivedMs: number | undefined;
  /** The one row that Tab reaches. */
  isActive: boolean;
  isOpen: boolean;
  onFocusRow: () => void;
  onToggle: () => void;
  onSubject: (id: string) => void;
};

/** How long a new row is highlighted. */
const FRESH_MS = 1_400;

/** One event as a sentence; a click outside its links opens the details. */
export const ActivityRow = ({
  event,
  arrivedMs,
  isActive,
  isOpen,
  onFocusRow,
  onToggle,
  onSubject,
}: Props) => {
  const { pieces, tone } = eventSentence(event);
  const details = useId();
  const [isFresh] = useState(() => arrivedMs !== undefined && Date.now() - arrivedMs < FRESH_MS);
  return (
    <div onFocus={onFocusRow} className={cx('border-b border-hairline', isFresh && 'row-changed')}>
      <div className="relative flex min-h-8.75 items-baseline gap-3 px-4 py-1.75 hover:bg-hover/60 touch:min-h-10.75">
        <EventClock at={event.at} />
        <Dot tone={tone} className="translate-y-[-1px]" />
        <p className="min-w-0 flex-1 break-words">
          {pieces.map((piece, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- the pieces of a sentence keep their places
            <Part key={index} piece={piece} event={event} isActive={isActive} />
          ))}
        </p>
        <button
          type="button"
          data-row-toggle
          aria-expanded={isOpen}
          aria-controls={isOpen ? details : undefined}
          aria-label={`Details: ${eventText(event)}`}
          tabIndex={isActive ? 0 : -1}
          onClick={onToggle}
          className="self-center text-muted outline-none after:absolute after:inset-0"
        >
          <ChevronRight aria-hidden className={cx('size-4 transition-transform', isOpen && 'rotate-90')} />
        </button>
      </div>
      {isOpen && (
        <div id={details}>
          {isRun(event) ? <RunDetails run={event} /> : <EventDetails event={event} onSubject={onSubject} />}
        </div>
      )}
    </div>
  );
};

/** The day is in a heading above, so this shows only the time. */
const EventClock = ({ at }: { at: string }) => {
  const zone = useStoredChoice(timeZoneChoice);
  const ms = Date.parse(at);
  return (
    <time
      dateTime={at}
      data-hint={formatExact(ms, zone)}
      className="tabular relative z-1 shrink-0 text-sm text-muted"
    >
      {formatClock(ms, zone)}
    </time>
  );
};

const Part = ({ piece, event, isActive }: { piece: Piece; event: Event; isActive: boolean }) => {
  if (typeof piece === 'string') return <span className="text-muted">{piece}</span>;
  const party = event[piece.party];
  if (party === null) return null;
  const to = subjectPath(party);
  return to === null ? (
    <span className="font-medium">{party.name}</span>
  ) : (
    <Link to={to} tabIndex={isActive ? 0 : -1} className="relative z-1 font-medium">
      {party.name}
    </Link>
  );
};

type Party = NonNullable<Event['actor']>;

/** `endedSessions` is “Ended sessions”. */
const inWords = (name: string): string =>
  capitalize(
    name
      .replaceAll(/[-_]/g, ' ')
      .replaceAll(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`),
  );

const isTime = (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text);

/** A value of an event's data as text; nested values as JSON. */
const readable = (value: unknown, zone: TimeZone): ReactNode => {
  if (value === null) return <span className="text-faint">none</span>;
  if (typeof value === 'boolean') return formatBoolean(value);
  if (typeof value === 'string') return isTime(value) ? formatExact(Date.parse(value), zone) : value;
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ');
  return (
    <code className="font-mono text-sm break-all whitespace-pre-wrap">{JSON.stringify(value, null, 2)}</code>
  );
};

const PartyName = ({ party }: { party: Party }) => (
  <>
    {party.name}
    <span className="block text-sm text-muted">
      {party.type.replaceAll('-', ' ')}
      {party.id !== '' && (
        <>
          {' '}
          <span className="font-mono break-all">{party.id}</span>
        </>
      )}
    </span>
  </>
);

/** All data of one event. */
const EventDetails = ({ event, onSubject }: { event: Event; onSubject: (id: string) => void }) => {
  const zone = useStoredChoice(timeZoneChoice);
  return (
    <div className="border-t border-hairline bg-sunken px-4 py-3">
      <div className="max-w-200">
        <KeyValueList
          items={[
            {
              name: 'Time',
              value: (
                <>
                  {formatExact(Date.parse(event.at), zone)}{' '}
                  <RelativeTime at={event.at} className="text-muted" />
                </>
              ),
            },
            { name: 'Type', value: <code className="font-mono text-sm">{event.type}</code> },
            {
              name: 'Actor',
              value: event.actor === null ? 'Penstock' : <PartyName party={event.actor} />,
            },
            { name: 'Subject', value: <PartyName party={event.subject} /> },
            ...Object.entries(event.data).map(([name, value]) => ({
              name: inWords(name),
              value: readable(value, zone),
            })),
          ]}
        />
        <div className="mt-2 flex flex-wrap gap-2">
          {event.subject.id !== '' && (
            <Button
              icon={<ListFilter aria-hidden className="size-4" />}
              onClick={() => onSubject(event.subject.id)}
              className="max-w-full"
            >
              <span className="truncate">Show only {event.subject.name}</span>
            </Button>
          )}
          <CopyButton variant="secondary" text={JSON.stringify(event, null, 2)} label="Copy as JSON" />
        </div>
      </div>
    </div>
  );
};

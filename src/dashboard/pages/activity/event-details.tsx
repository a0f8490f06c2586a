import { ListFilter } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Event } from '#contract/events.ts';
import { Button } from '../../ui/controls/button.tsx';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { formatExact, timeZoneChoice, type TimeZoneChoice } from '../../ui/format/format-time.ts';
import { useStoredChoice } from '../../ui/browser/stored-choice.ts';
import { KeyValueList } from '../../ui/layout/key-value-list.tsx';
import { RelativeTime } from '../../ui/format/relative-time.tsx';

type Party = NonNullable<Event['actor']>;

/** `endedSessions` is “Ended sessions”. */
const inWords = (name: string): string => {
  const words = name
    .replaceAll(/[-_]/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const isTime = (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text);

/** A value of an event's data, readable: what is nested stays as it was written. */
const readable = (value: unknown, zone: TimeZoneChoice): ReactNode => {
  if (value === null) return <span className="text-faint">none</span>;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
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

/** All that the log holds of one event. */
export const EventDetails = ({ event, onSubject }: { event: Event; onSubject: (id: string) => void }) => {
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
            { name: 'Kind', value: <code className="font-mono text-sm">{event.type}</code> },
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
          <CopyButton look="secondary" text={JSON.stringify(event, null, 2)} label="Copy as JSON" />
        </div>
      </div>
    </div>
  );
};

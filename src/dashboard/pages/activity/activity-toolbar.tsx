import { useQuery } from '@tanstack/react-query';
import { CalendarRange, ListFilter, Target } from 'lucide-react';
import type { Event } from '#contract/events.ts';
import { deviceQueries } from '../../resources/devices/device-queries.ts';
import type { EventFilters } from '../../resources/events/event-queries.ts';
import { formatExact, timeZoneChoice } from '../../ui/format/format-time.ts';
import { useStoredChoice } from '../../ui/browser/stored-choice.ts';
import { FilterChips, type FilterChip } from '../../ui/table/filter-chips.tsx';
import { Menu } from '../../ui/overlays/menu.tsx';
import type { MenuItem } from '../../ui/overlays/menu-popup.tsx';
import { Popover } from '../../ui/overlays/popover.tsx';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { readSpan, spans } from './activity-filters.ts';
import { eventGroups, eventKindOf } from '../../resources/events/event-words.ts';
import { collectTyped } from '../../ui/browser/type-ahead.ts';
import { lazyPart } from '../../ui/browser/lazy-part.tsx';
import { LoadFailure } from '../../ui/feedback/load-failure.tsx';

const SubjectPicker = lazyPart(async () => (await import('./subject-picker.tsx')).SubjectPicker, LoadFailure);
const DatesForm = lazyPart(async () => (await import('./dates-form.tsx')).DatesForm, LoadFailure);

type Props = {
  filters: EventFilters;
  /** The shown events, which contain the name of the filtered subject. */
  events: readonly Event[];
  onChange: (changes: Record<string, string | readonly string[]>) => void;
  onClear: () => void;
};

const icon = 'size-4';

/** The filters of the page: kind, subject and time. */
export const ActivityToolbar = ({ filters, events, onChange, onClear }: Props) => {
  const { type: types = [] } = filters;
  return (
    <div className="mb-3 flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <Menu
          label="Type"
          placement="bottom-start"
          icon={<ListFilter aria-hidden className={icon} />}
          items={kindItems(types, (next) => onChange({ type: next }))}
        />
        <Popover label="Subject" icon={<Target aria-hidden className={icon} />} onOpen={collectTyped}>
          {(close) => (
            <SubjectPicker
              onChoose={(subject) => {
                onChange({ subject });
                close();
              }}
            />
          )}
        </Popover>
        <div className="flex max-w-full gap-2 md:ml-auto">
          <Segmented
            label="Time"
            options={spans}
            value={readSpan(filters)}
            onChange={(span) => onChange({ from: span, to: '' })}
          />
          <Popover label="Dates" align="end" icon={<CalendarRange aria-hidden className={icon} />}>
            {(close) => (
              <DatesForm
                filters={filters}
                onApply={(dates) => {
                  onChange(dates);
                  close();
                }}
              />
            )}
          </Popover>
        </div>
      </div>
      <Chips filters={filters} events={events} onChange={onChange} onClear={onClear} />
    </div>
  );
};

const kindItems = (types: readonly string[], onChange: (types: string[]) => void): MenuItem[] =>
  eventGroups.flatMap(({ group, kinds }, index) => [
    ...(index > 0 ? (['separator'] as const) : []),
    { heading: group },
    ...kinds.map(({ type, label }) => ({
      label,
      isChecked: types.includes(type),
      onToggle: (isChecked: boolean) =>
        onChange(isChecked ? [...types, type] : types.filter((other) => other !== type)),
    })),
  ]);

const Chips = ({ filters, events, onChange, onClear }: Props) => {
  const { type: types = [], subject, from, to } = filters;
  const zone = useStoredChoice(timeZoneChoice);
  const subjectName = useSubjectName(subject, events);
  const date = (name: 'from' | 'to', label: string, value: string | undefined): FilterChip[] =>
    value === undefined || Number.isNaN(Date.parse(value))
      ? []
      : [
          {
            id: name,
            name: label,
            value: formatExact(Date.parse(value), zone),
            label: `${label} ${formatExact(Date.parse(value), zone)}`,
            onRemove: () => onChange({ [name]: '' }),
          },
        ];
  const chips: FilterChip[] = [
    ...types.map((type) => {
      const { group, label } = eventKindOf(type);
      return {
        id: type,
        name: group,
        value: label,
        label: `${group}: ${label}`,
        onRemove: () => onChange({ type: types.filter((other) => other !== type) }),
      };
    }),
    ...(subject === undefined
      ? []
      : [
          {
            id: 'subject',
            name: 'Subject',
            value: subjectName,
            label: `Subject ${subjectName}`,
            onRemove: () => onChange({ subject: '' }),
          },
        ]),
    ...date('from', 'From', from),
    ...date('to', 'To', to),
  ];
  return <FilterChips chips={chips} onClear={onClear} />;
};

/** The name of the subject: from its newest event, else from the device. */
const useSubjectName = (subject: string | undefined, events: readonly Event[]): string => {
  const nameInEvent = events.find((event) => event.subject.id === subject)?.subject.name;
  const { data } = useQuery({
    ...deviceQueries.detail(subject ?? ''),
    enabled: nameInEvent === undefined && subject?.startsWith('dev_') === true,
  });
  return nameInEvent ?? data?.name ?? subject ?? '';
};

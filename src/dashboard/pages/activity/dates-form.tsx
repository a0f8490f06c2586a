import { useState } from 'react';
import type { EventFilters } from '../../resources/events/event-queries.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { timeZoneChoice, zoneName } from '../../ui/format/format-time.ts';
import { useStoredChoice } from '../../ui/browser/stored-choice.ts';
import { TextInput } from '../../ui/controls/text-input.tsx';
import { momentText, readMoment } from '../../ui/format/zoned-text.ts';

type Props = { filters: EventFilters; onApply: (dates: { from: string; to: string }) => void };

/** Filters by start and end; either may be empty. */
export const DatesForm = ({ filters, onApply }: Props) => {
  const zone = useStoredChoice(timeZoneChoice);
  const shown = (text: string | undefined) => {
    const ms = Date.parse(text ?? '');
    return Number.isNaN(ms) ? '' : momentText(ms, zone);
  };
  const [from, setFrom] = useState(shown(filters.from));
  const [to, setTo] = useState(shown(filters.to));
  const [problem, setProblem] = useState<string>();

  const apply = () => {
    const [fromMs, toMs] = [readMoment(from, zone), readMoment(to, zone)];
    if (fromMs === undefined && toMs === undefined) setProblem('Enter a start or an end.');
    else if (fromMs !== undefined && toMs !== undefined && fromMs >= toMs)
      setProblem('Must be later than From.');
    else
      onApply({
        from: fromMs === undefined ? '' : new Date(fromMs).toISOString(),
        to: toMs === undefined ? '' : new Date(toMs).toISOString(),
      });
  };
  const input = (value: string, onChange: (text: string) => void) => (
    <TextInput
      type="datetime-local"
      value={value}
      onChange={(event) => {
        onChange(event.target.value);
        setProblem(undefined);
      }}
      className="tabular"
    />
  );
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
      className="flex flex-col gap-3"
    >
      <Field label="From" optional>
        {input(from, setFrom)}
      </Field>
      <Field label="To" optional error={problem}>
        {input(to, setTo)}
      </Field>
      <div className="flex items-center justify-between gap-3">
        <span className="min-w-0 truncate text-sm text-muted">{zoneName(zone)}</span>
        <Button type="submit" variant="primary">
          Apply
        </Button>
      </div>
    </form>
  );
};

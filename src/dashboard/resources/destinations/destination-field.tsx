import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import type { Destination } from '#contract/destinations.ts';
import { TELEMETRY } from '#contract/pipelines.ts';
import { destinationQueries } from './destination-queries.ts';
import {
  builtInFirst,
  destinationReason,
  describeDestinationState,
  isBuiltIn,
  isSameDestination,
} from './destination-state.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { Dot } from '../../ui/feedback/state-dot.tsx';

type Props = {
  /** The name of the chosen destination. */
  value: string;
  onChange: (name: string) => void;
  onBlur: () => void;
  error: string | undefined;
  onAdd: () => void;
};

/** Chooses the destination of a pipeline, or adds one. */
export const DestinationField = ({ value, onChange, onBlur, error, onAdd }: Props) => {
  const { data: types = [] } = useQuery(destinationQueries.types());
  const { data: found, error: failure } = useQuery(destinationQueries.choices());
  const destinations = found ?? [];
  const labelOf = (name: string) => types.find(({ type }) => type === name)?.label ?? name;
  const chosen = destinations.find(({ name }) => isSameDestination(name, value));
  const isUnknown = chosen === undefined && value !== TELEMETRY && value !== '';

  return (
    <Field label="Destination" error={error} help={<Help chosen={chosen} value={value} />}>
      <div className="flex flex-wrap gap-2">
        <div className="min-w-48 flex-1">
          <Select
            options={[
              ...(destinations.some(isBuiltIn)
                ? []
                : [{ value: TELEMETRY, label: TELEMETRY, detail: 'Built-in store' }]),
              ...builtInFirst(destinations).map((each) => ({
                // A pipeline may spell the name in another case.
                value: each === chosen ? value : each.name,
                label: each.name,
                detail: (
                  <span className="flex items-baseline gap-1.5">
                    <Dot tone={describeDestinationState(each).tone} className="-translate-y-px" />
                    {isBuiltIn(each)
                      ? 'Built-in store'
                      : `${labelOf(each.type)}, ${describeDestinationState(each).word.toLowerCase()}`}
                  </span>
                ),
              })),
              ...(isUnknown
                ? [
                    {
                      value,
                      label: value,
                      detail: failure === null && found !== undefined ? 'Unknown destination' : 'Loading…',
                    },
                  ]
                : []),
            ]}
            value={value}
            onChange={onChange}
            onBlur={onBlur}
          />
        </div>
        <Button icon={<Plus aria-hidden className="size-4" />} onClick={onAdd}>
          Add destination…
        </Button>
      </div>
    </Field>
  );
};

const Help = ({ chosen, value }: { chosen: Destination | undefined; value: string }) => {
  if (value === TELEMETRY || (chosen !== undefined && isBuiltIn(chosen)))
    return 'Samples are on disk before the sender gets a response.';
  if (chosen === undefined) return 'Samples are queued on disk until the destination confirms them.';
  const reason = destinationReason(chosen);
  return reason === null
    ? 'Samples are queued on disk until the destination confirms them. The sender does not wait.'
    : `${describeDestinationState(chosen).word}: ${reason} Samples are queued on disk until the destination confirms them.`;
};

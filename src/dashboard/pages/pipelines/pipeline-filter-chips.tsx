import type { PipelineFilters } from '../../resources/pipelines/pipeline-queries.ts';
import { FilterChips } from '../../ui/table/filter-chips.tsx';

type Props = {
  filters: PipelineFilters;
  /** The label of a type. */
  labelOf: (type: string) => string;
  onChange: (name: string, values: readonly string[]) => void;
  onClear: () => void;
};

/** The chosen types and the destination; each can be removed. */
export const PipelineFilterChips = ({ filters, labelOf, onChange, onClear }: Props) => {
  const { type: chosen = [], destination } = filters;
  return (
    <FilterChips
      chips={[
        ...chosen.map((name) => ({
          id: name,
          name: 'Type',
          value: labelOf(name),
          label: `Type ${labelOf(name)}`,
          onRemove: () =>
            onChange(
              'type',
              chosen.filter((other) => other !== name),
            ),
        })),
        ...(destination === undefined
          ? []
          : [
              {
                id: ' destination',
                name: 'Destination',
                value: destination,
                label: `Destination ${destination}`,
                onRemove: () => onChange('destination', []),
              },
            ]),
      ]}
      onClear={onClear}
    />
  );
};

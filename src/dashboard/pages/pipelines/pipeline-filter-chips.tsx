import type { PipelineFilters } from '../../resources/pipelines/pipeline-queries.ts';
import { pipelineStateDisplay } from '../../resources/pipelines/pipeline-state.tsx';
import { FilterChips } from '../../ui/table/filter-chips.tsx';

type Props = {
  filters: PipelineFilters;
  /** On a phone the states are chips too. */
  showsStates: boolean;
  /** The label of a type. */
  labelOf: (type: string) => string;
  onChange: (name: string, values: readonly string[]) => void;
  onClear: () => void;
};

/** The chosen states (on a phone), types and destination; each can be removed. */
export const PipelineFilterChips = ({ filters, showsStates, labelOf, onChange, onClear }: Props) => {
  const { state = [], type: chosen = [], destination } = filters;
  const shownStates = showsStates ? state : [];
  return (
    <FilterChips
      chips={[
        ...shownStates.map((each) => ({
          id: `state ${each}`,
          name: 'State',
          value: pipelineStateDisplay[each].word,
          label: `State ${pipelineStateDisplay[each].word}`,
          onRemove: () =>
            onChange(
              'state',
              state.filter((other) => other !== each),
            ),
        })),
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

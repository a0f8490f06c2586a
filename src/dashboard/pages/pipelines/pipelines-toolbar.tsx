import { ListFilter } from 'lucide-react';
import { lazy } from 'react';
import type { PipelineType } from '#contract/pipelines.ts';
import { pipelineStates } from '#contract/pipeline-state.ts';
import type { PipelineFilters } from '../../resources/pipelines/pipeline-queries.ts';
import { pipelineStateDisplay } from '../../resources/pipelines/pipeline-state.tsx';
import { useIsNarrow } from '../../ui/browser/media-query.ts';
import { Optional } from '../../ui/browser/optional.tsx';
import { Menu } from '../../ui/overlays/menu.tsx';
import { SearchInput } from '../../ui/controls/search-input.tsx';
import { StateToggles } from '../../ui/table/state-toggles.tsx';

const PipelineFilterChips = lazy(async () => ({
  default: (await import('./pipeline-filter-chips.tsx')).PipelineFilterChips,
}));

type Props = {
  params: URLSearchParams;
  filters: PipelineFilters;
  types: readonly PipelineType[];
  onChange: (name: string, values: readonly string[]) => void;
  /** Removes all filter chips. */
  onClear: () => void;
  /** Whether the rows still belong to earlier filters. */
  isSearching: boolean;
};

const states = pipelineStates.map((value) => ({ value, ...pipelineStateDisplay[value] }));

/** Search, the states as toggles, and the types as a menu; on a phone, the menu also contains the states. */
export const PipelinesToolbar = ({ params, filters, types, onChange, onClear, isSearching }: Props) => {
  // Its memoised form is larger, and it renders with each of its few changes anyway.
  'use no memo';
  const isNarrow = useIsNarrow();
  const { state = [], type: chosen = [], destination } = filters;
  const labelOf = (name: string) => types.find(({ type }) => type === name)?.label ?? name;
  const checkboxItem = <V extends string>(name: string, checked: readonly V[], value: V, label: string) => ({
    label,
    isChecked: checked.includes(value),
    onToggle: (isChecked: boolean) =>
      onChange(name, isChecked ? [...checked, value] : checked.filter((other) => other !== value)),
  });
  // A link may contain the unknown type of a draft, so it is listed as well.
  const offered = [...new Set([...types.map(({ type }) => type), ...chosen])];
  return (
    <div className="mb-3 flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <SearchInput
          label="Search pipelines"
          placeholder="Name"
          value={params.get('q') ?? ''}
          onChange={(text) => onChange('q', [text])}
          isSearching={isSearching}
          className="min-w-40 flex-1 md:max-w-72"
        />
        {!isNarrow && (
          <StateToggles
            label="State"
            states={states}
            chosen={state}
            onChange={(next) => onChange('state', next)}
          />
        )}
        <Menu
          label="Filter"
          appearance={isNarrow ? 'icon' : 'quiet'}
          icon={<ListFilter aria-hidden className="size-4" />}
          className="ml-auto"
          items={[
            ...(isNarrow
              ? [
                  { heading: 'State' },
                  ...states.map(({ value, word }) => checkboxItem('state', state, value, word)),
                ]
              : []),
            { heading: 'Type' },
            ...offered.map((name) => checkboxItem('type', chosen, name, labelOf(name))),
          ]}
        />
      </div>
      {(chosen.length > 0 || destination !== undefined || (isNarrow && state.length > 0)) && (
        <Optional>
          <PipelineFilterChips
            filters={filters}
            showsStates={isNarrow}
            labelOf={labelOf}
            onChange={onChange}
            onClear={onClear}
          />
        </Optional>
      )}
    </div>
  );
};

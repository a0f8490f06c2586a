import { ListFilter } from 'lucide-react';
import { lazy } from 'react';
import { type PipelineType } from '#contract/pipelines.ts';
import { pipelineStates } from '#contract/pipeline-state.ts';
import type { PipelineFilters } from '../../resources/pipelines/pipeline-queries.ts';
import { pipelineStateDisplay } from '../../resources/pipelines/pipeline-state.tsx';
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
};

const states = pipelineStates.map((value) => ({ value, ...pipelineStateDisplay[value] }));

/** Search, the states as toggles, and the types as a menu. */
export const PipelinesToolbar = ({ params, filters, types, onChange, onClear }: Props) => {
  // Its memoised form is larger, and it renders with each of its few changes anyway.
  'use no memo';
  const { state = [], type: chosen = [], destination } = filters;
  const labelOf = (name: string) => types.find(({ type }) => type === name)?.label ?? name;
  const without = (name: string) => chosen.filter((other) => other !== name);
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
          className="w-full md:w-72"
        />
        <StateToggles
          label="State"
          states={states}
          chosen={state}
          onChange={(next) => onChange('state', next)}
        />
        <Menu
          label="Filter"
          appearance="quiet"
          icon={<ListFilter aria-hidden className="size-4" />}
          className="ml-auto"
          items={[
            { heading: 'Type' },
            ...offered.map((name) => ({
              label: labelOf(name),
              isChecked: chosen.includes(name),
              onToggle: (isChecked: boolean) =>
                onChange('type', isChecked ? [...chosen, name] : without(name)),
            })),
          ]}
        />
      </div>
      {(chosen.length > 0 || destination !== undefined) && (
        <Optional>
          <PipelineFilterChips filters={filters} labelOf={labelOf} onChange={onChange} onClear={onClear} />
        </Optional>
      )}
    </div>
  );
};

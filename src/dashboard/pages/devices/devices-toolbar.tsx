import { Columns3, ListFilter } from 'lucide-react';
import { lazy } from 'react';
import type { Device } from '#contract/devices.ts';
import type { DeviceFilters } from '../../resources/devices/device-queries.ts';
import { deviceStateDisplay, deviceStateOrder } from '../../resources/devices/device-state.tsx';
import { FilterChips, type FilterChip } from '../../ui/table/filter-chips.tsx';
import { useIsNarrow, useMediaQuery } from '../../ui/browser/media-query.ts';
import { Menu } from '../../ui/overlays/menu.tsx';
import { Popover } from '../../ui/overlays/popover.tsx';
import { SearchInput } from '../../ui/controls/search-input.tsx';
import { StateToggles } from '../../ui/table/state-toggles.tsx';
import type { ColumnChoice } from './device-columns.tsx';

const DeviceFilterPanel = lazy(async () => ({
  default: (await import('./device-filter-panel.tsx')).DeviceFilterPanel,
}));

type Props = {
  params: URLSearchParams;
  filters: DeviceFilters;
  /** The loaded rows, whose types and tags are suggested as filters. */
  rows: readonly Device[];
  onChange: (name: string, values: readonly string[]) => void;
  /** Removes all filters except the search. */
  onClear: () => void;
  columnChoice: ColumnChoice;
};

/** Search, the states as toggles, further filters, and the choice of columns. */
export const DevicesToolbar = ({ params, filters, rows, onChange, onClear, columnChoice }: Props) => {
  // Its memoised form is 1 kB larger, and it renders with each of its few changes anyway.
  'use no memo';
  const { state: states = [], type: types = [], tag: tags = [] } = filters;
  const chips = (name: 'type' | 'tag', label: string, values: readonly string[]): FilterChip[] =>
    values.map((value) => ({
      id: `${name}=${value}`,
      name: label,
      value: name === 'tag' ? value.replace(':', ': ') : value,
      label: `${label} ${value}`,
      onRemove: () =>
        onChange(
          name,
          values.filter((other) => other !== value),
        ),
    }));
  const isNarrow = useIsNarrow();
  const isTight = useMediaQuery('(width < 80rem)');
  // On a phone the states are in the filter panel and shown as chips, like the other filters.
  const toggles = (
    <StateToggles
      label="State"
      states={deviceStateOrder.map((value) => ({ value, ...deviceStateDisplay[value] }))}
      chosen={states}
      onChange={(next) => onChange('state', next)}
    />
  );
  const stateChips = states.map((state) => ({
    id: `state=${state}`,
    name: 'State',
    value: deviceStateDisplay[state].word,
    label: `State ${deviceStateDisplay[state].word}`,
    onRemove: () =>
      onChange(
        'state',
        states.filter((other) => other !== state),
      ),
  }));
  const shown = [
    ...(isNarrow ? stateChips : []),
    ...chips('type', 'Type', types),
    ...chips('tag', 'Tag', tags),
  ];
  return (
    <div className="mb-3 flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <SearchInput
          label="Search devices"
          placeholder="Name or external ID"
          value={params.get('q') ?? ''}
          onChange={(text) => onChange('q', [text])}
          className="min-w-40 flex-1 lg:max-w-72"
        />
        {!isNarrow && toggles}
        <div className="ml-auto flex gap-1">
          <Popover
            label="Filter"
            variant="quiet"
            align="end"
            isIconOnly={isTight}
            icon={<ListFilter aria-hidden className="size-4" />}
          >
            {(close) => (
              <DeviceFilterPanel
                rows={rows}
                {...(isNarrow && { toggles })}
                onAdd={(name, value) => {
                  onChange(name, [...new Set([...(name === 'type' ? types : tags), value])]);
                  close();
                }}
              />
            )}
          </Popover>
          <span className="max-md:hidden">
            <Menu
              label="Columns"
              variant="quiet"
              isIconOnly={isTight}
              icon={<Columns3 aria-hidden className="size-4" />}
              items={columnChoice.map(({ label, isShown, toggle }) => ({
                label,
                isChecked: isShown,
                onToggle: toggle,
              }))}
            />
          </span>
        </div>
      </div>
      <FilterChips
        chips={shown}
        onClear={() => {
          onClear();
        }}
      />
    </div>
  );
};

import { Columns3, ListFilter } from 'lucide-react';
import { lazy } from 'react';
import type { Device } from '#contract/devices.ts';
import type { DeviceFilters } from '../../api/device-queries.ts';
import { deviceStateLook, deviceStateOrder } from '../../device-state.tsx';
import { FilterChips, type FilterChip } from '../../ui/filter-chips.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Popover } from '../../ui/popover.tsx';
import { SearchInput } from '../../ui/search-input.tsx';
import { StateToggles } from '../../ui/state-toggles.tsx';
import type { ColumnChoice } from './device-columns.tsx';

const DeviceFilterPanel = lazy(async () => ({
  default: (await import('./device-filter-panel.tsx')).DeviceFilterPanel,
}));

type Props = {
  params: URLSearchParams;
  filters: DeviceFilters;
  /** The rows at hand: what they hold is suggested as a filter. */
  rows: readonly Device[];
  onChange: (name: string, values: readonly string[]) => void;
  columnChoice: ColumnChoice;
};

/** Search, the states as toggles, further filters, and the choice of columns. */
export const DevicesToolbar = ({ params, filters, rows, onChange, columnChoice }: Props) => {
  const { type: types = [], tag: tags = [] } = filters;
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
  const shown = [...chips('type', 'Type', types), ...chips('tag', 'Tag', tags)];
  return (
    <div className="mb-3 flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <SearchInput
          label="Search devices"
          placeholder="Name or external id"
          value={params.get('q') ?? ''}
          onChange={(text) => onChange('q', [text])}
          className="w-full md:w-72"
        />
        <StateToggles
          label="State"
          states={deviceStateOrder.map((value) => ({ value, ...deviceStateLook[value] }))}
          chosen={filters.state ?? []}
          onChange={(states) => onChange('state', states)}
        />
        <div className="ml-auto flex gap-1">
          <Popover
            label="Filter"
            look="quiet"
            align="end"
            icon={<ListFilter aria-hidden className="size-4" />}
          >
            {(close) => (
              <DeviceFilterPanel
                rows={rows}
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
              look="quiet"
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
          onChange('type', []);
          onChange('tag', []);
        }}
      />
    </div>
  );
};

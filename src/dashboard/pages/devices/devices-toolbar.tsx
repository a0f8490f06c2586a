import { Bookmark, Columns3, ListFilter, ListTree } from 'lucide-react';
import { lazy } from 'react';
import type { DeviceFilters } from '../../resources/devices/device-queries.ts';
import { deviceStateDisplay, deviceStateOrder } from '../../resources/devices/device-state.tsx';
import { Optional } from '../../ui/browser/optional.tsx';
import { useIsNarrow, useMediaQuery } from '../../ui/browser/media-query.ts';
import { Menu } from '../../ui/overlays/menu.tsx';
import { Popover } from '../../ui/overlays/popover.tsx';
import { SearchInput } from '../../ui/controls/search-input.tsx';
import { StateToggles } from '../../ui/table/state-toggles.tsx';
import type { ColumnChoice } from './device-columns.tsx';
import { hasChips } from './device-filters.ts';
import { lazyPart } from '../../ui/browser/lazy-part.tsx';
import { LoadFailure } from '../../ui/feedback/load-failure.tsx';

const DeviceFilterPanel = lazyPart(
  async () => (await import('./device-filter-panel.tsx')).DeviceFilterPanel,
  LoadFailure,
);

const DeviceGroupPanel = lazyPart(
  async () => (await import('./device-group-panel.tsx')).DeviceGroupPanel,
  LoadFailure,
);

const DeviceFilterChips = lazy(async () => ({
  default: (await import('./device-filter-chips.tsx')).DeviceFilterChips,
}));

const SavedFilters = lazyPart(async () => (await import('./saved-filters.tsx')).SavedFilters, LoadFailure);

type Props = {
  params: URLSearchParams;
  filters: DeviceFilters;
  /** The key of the tag that the devices are grouped by. */
  group: string | null;
  onChange: (name: string, values: readonly string[]) => void;
  /** Removes the grouping and all filters except the search. */
  onClear: () => void;
  columnChoice: ColumnChoice;
  /** Whether the rows still belong to earlier filters. */
  isSearching: boolean;
};

/** Search, the states as toggles, further filters, the grouping, and the choice of columns. */
export const DevicesToolbar = ({
  params,
  filters,
  group,
  onChange,
  onClear,
  columnChoice,
  isSearching,
}: Props) => {
  // Its memoised form is 1 kB larger, and it renders with each of its few changes anyway.
  'use no memo';
  const isNarrow = useIsNarrow();
  const isTight = useMediaQuery('(width < 80rem)');
  // On a phone the states are in the filter panel and shown as chips, like the other filters.
  const toggles = (
    <StateToggles
      label="State"
      states={deviceStateOrder.map((value) => ({ value, ...deviceStateDisplay[value] }))}
      chosen={filters.state ?? []}
      onChange={(next) => onChange('state', next)}
    />
  );
  return (
    <div className="mb-3 flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <SearchInput
          label="Search devices"
          placeholder="Name or external ID"
          value={params.get('q') ?? ''}
          onChange={(text) => onChange('q', [text])}
          isSearching={isSearching}
          className="min-w-40 flex-1 lg:max-w-72"
        />
        {!isNarrow && toggles}
        <div className="ml-auto flex gap-1">
          <Popover
            label="Filter"
            appearance={isTight ? 'icon' : 'quiet'}
            align="end"
            icon={<ListFilter aria-hidden className="size-4" />}
          >
            {(close) => (
              <DeviceFilterPanel
                filters={filters}
                {...(isNarrow && { toggles })}
                onChange={(name, values) => {
                  onChange(name, values);
                  close();
                }}
              />
            )}
          </Popover>
          <Popover
            label="Group"
            appearance={isTight ? 'icon' : 'quiet'}
            align="end"
            icon={<ListTree aria-hidden className="size-4" />}
          >
            {(close) => (
              <DeviceGroupPanel
                filters={filters}
                group={group}
                onChoose={(key) => {
                  onChange('group', key === null ? [] : [key]);
                  close();
                }}
              />
            )}
          </Popover>
          <Popover
            label="Saved filters"
            appearance="icon"
            align="end"
            icon={<Bookmark aria-hidden className="size-4" />}
          >
            {(close) => <SavedFilters onApplied={close} />}
          </Popover>
          {group === null && (
            <span className="max-md:hidden">
              <Menu
                label="Columns"
                appearance={isTight ? 'icon' : 'quiet'}
                icon={<Columns3 aria-hidden className="size-4" />}
                items={columnChoice.map(({ label, isShown, toggle }) => ({
                  label,
                  isChecked: isShown,
                  onToggle: toggle,
                }))}
              />
            </span>
          )}
        </div>
      </div>
      {(hasChips(filters) || group !== null) && (
        <Optional>
          <DeviceFilterChips
            filters={filters}
            group={group}
            showsStates={isNarrow}
            onChange={onChange}
            onClear={onClear}
          />
        </Optional>
      )}
    </div>
  );
};

import type { DeviceFilters } from '../../resources/devices/device-queries.ts';
import { deviceStateDisplay } from '../../resources/devices/device-state.tsx';
import { formatSeconds } from '../../ui/format/format-duration.ts';
import { FilterChips, type FilterChip } from '../../ui/table/filter-chips.tsx';

type ListName = 'state' | 'type' | 'tag' | 'withoutTag';
type Words = { name: string; value: string; label?: string };

const describe: Record<ListName, (value: string) => Words> = {
  state: (state) => ({ name: 'State', value: deviceStateDisplay[state as 'online'].word }),
  type: (type) => ({ name: 'Type', value: type === '' ? 'none' : type }),
  tag: (tag) => ({ name: 'Tag', value: tag.replace(':', ': '), label: `Tag ${tag}` }),
  withoutTag: (key) => ({ name: 'Without tag', value: key }),
};

type Props = {
  filters: DeviceFilters;
  /** The key of the tag that the devices are grouped by. */
  group: string | null;
  /** On a phone the states are chips too. */
  showsStates: boolean;
  onChange: (name: string, values: readonly string[]) => void;
  /** Removes all filters except the search. */
  onClear: () => void;
};

/** The filters and the grouping of the list; each can be removed. */
export const DeviceFilterChips = ({ filters, group, showsStates, onChange, onClear }: Props) => {
  const ofList = (name: ListName): FilterChip[] => {
    const values: readonly string[] = filters[name] ?? [];
    return values.map((value) => {
      const words = describe[name](value);
      return {
        id: `${name}=${value}`,
        label: `${words.name} ${words.value}`,
        ...words,
        onRemove: () =>
          onChange(
            name,
            values.filter((other) => other !== value),
          ),
      };
    });
  };
  const ofOne = (name: string, words: { name: string; value: string } | null): FilterChip[] =>
    words === null
      ? []
      : [{ id: name, label: `${words.name} ${words.value}`, ...words, onRemove: () => onChange(name, []) }];
  const { silentFor } = filters;
  return (
    <FilterChips
      chips={[
        ...ofOne('group', group === null ? null : { name: 'Grouped by', value: group }),
        ...(showsStates ? ofList('state') : []),
        ...ofList('type'),
        ...ofList('tag'),
        ...ofList('withoutTag'),
        ...ofOne(
          'silentFor',
          silentFor === undefined ? null : { name: 'Silent for more than', value: formatSeconds(silentFor) },
        ),
      ]}
      onClear={onClear}
    />
  );
};

import type { DeviceState } from '#contract/device-filter.ts';
import { tagValueLabel } from '../../resources/devices/tag-list.tsx';
import type { DeviceFilters } from '../../resources/devices/device-queries.ts';
import { deviceStateDisplay } from '../../resources/devices/device-state.tsx';
import { formatSeconds } from '../../ui/format/format-duration.ts';
import { FilterChips, type FilterChip } from '../../ui/table/filter-chips.tsx';

type Words = { name: string; value: string; label?: string };

const describeState = (state: DeviceState): Words => ({
  name: 'State',
  value: deviceStateDisplay[state].word,
});
const describeType = (type: string): Words => ({ name: 'Type', value: type === '' ? 'none' : type });
const describeTag = (tag: string): Words => {
  const start = tag.indexOf(':') + 1;
  const value = `${tag.slice(0, start)} ${tagValueLabel(tag.slice(start))}`;
  return { name: 'Tag', value, label: `Tag ${tag}` };
};
const describeWithoutTag = (key: string): Words => ({ name: 'Without tag', value: key });

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
  const ofList = <V extends string>(
    name: string,
    values: readonly V[],
    describe: (value: V) => Words,
  ): FilterChip[] =>
    values.map((value) => {
      const words = describe(value);
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
  const ofOne = (name: string, words: { name: string; value: string } | null): FilterChip[] =>
    words === null
      ? []
      : [{ id: name, label: `${words.name} ${words.value}`, ...words, onRemove: () => onChange(name, []) }];
  const { silentFor } = filters;
  return (
    <FilterChips
      chips={[
        ...ofOne('group', group === null ? null : { name: 'Grouped by', value: group }),
        ...(showsStates ? ofList('state', filters.state ?? [], describeState) : []),
        ...ofList('type', filters.type ?? [], describeType),
        ...ofList('tag', filters.tag ?? [], describeTag),
        ...ofList('withoutTag', filters.withoutTag ?? [], describeWithoutTag),
        ...ofOne(
          'silentFor',
          silentFor === undefined ? null : { name: 'Silent for more than', value: formatSeconds(silentFor) },
        ),
      ]}
      onClear={onClear}
    />
  );
};

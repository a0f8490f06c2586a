import { useState, type ReactNode } from 'react';
import { TAG_FILTERS } from '#contract/device-filter.ts';
import type { DeviceFilters } from '../../resources/devices/device-queries.ts';
import { FacetCombobox } from '../../resources/devices/facet-combobox.tsx';
import { filterOf } from './device-filters.ts';
import { SilentFilter } from './silent-filter.tsx';

type Props = {
  filters: DeviceFilters;
  /** The states, on a phone. */
  toggles?: ReactNode;
  onChange: (name: string, values: readonly string[]) => void;
};

/** Filters by type, tag and silence, with the number of matching devices. */
export const DeviceFilterPanel = ({ filters, toggles, onChange }: Props) => {
  const filter = filterOf(filters);
  const { type: types = [], ...exceptTypes } = filter;
  return (
    <div className="flex flex-col gap-4">
      {toggles}
      <FacetCombobox
        label="Type"
        query={{ ...exceptTypes, by: 'type' }}
        value={null}
        placeholder="Choose a type"
        emptyText="No types."
        onChoose={(type) => type !== null && onChange('type', [...new Set([...types, type])])}
      />
      <TagFilter
        filter={filter}
        onAdd={(tag) => onChange('tag', [...new Set([...(filter.tag ?? []), tag])])}
      />
      <SilentFilter
        seconds={filter.silentFor}
        onChange={(seconds) => onChange('silentFor', seconds === undefined ? [] : [String(seconds)])}
      />
    </div>
  );
};

type TagFilterProps = { filter: ReturnType<typeof filterOf>; onAdd: (tag: string) => void };

const focusField = (element: HTMLElement | null) => element?.querySelector('input')?.focus();

/** First the key of the tag, then one of its values. */
const TagFilter = ({ filter, onAdd }: TagFilterProps) => {
  const [key, setKey] = useState<string | null>(null);
  const isFull = (filter.tag ?? []).length >= TAG_FILTERS;
  return (
    <>
      <FacetCombobox
        label="Tag"
        query={{ ...filter, by: 'tag' }}
        value={isFull ? null : key}
        placeholder="Choose a tag"
        emptyText="No tags."
        fullText={isFull ? `At most ${TAG_FILTERS} tags.` : undefined}
        onChoose={setKey}
      />
      {key !== null && !isFull && (
        <div key={key} ref={focusField}>
          <FacetCombobox
            label={`Value of ${key}`}
            query={{ ...filter, by: `tag:${key}` }}
            value={null}
            placeholder="Choose a value"
            emptyText="No values."
            onChoose={(value) => value !== null && onAdd(`${key}:${value}`)}
          />
        </div>
      )}
    </>
  );
};

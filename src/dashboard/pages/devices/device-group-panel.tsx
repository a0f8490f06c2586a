import type { DeviceFilters } from '../../resources/devices/device-queries.ts';
import { FacetCombobox } from '../../resources/devices/facet-combobox.tsx';
import { filterOf } from './device-filters.ts';

type Props = {
  filters: DeviceFilters;
  /** The key of the tag that the devices are grouped by. */
  group: string | null;
  onChoose: (key: string | null) => void;
};

/** Chooses the tag that the devices are grouped by, with the number of matching devices that have it. */
export const DeviceGroupPanel = ({ filters, group, onChoose }: Props) => (
  <FacetCombobox
    label="Group by"
    query={{ ...filterOf(filters), by: 'tag' }}
    value={group}
    placeholder="Choose a tag"
    emptyText="No tags."
    onChoose={onChoose}
  />
);

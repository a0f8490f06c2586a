import { ellipsisIcon } from '../../ui/controls/ellipsis-icon.tsx';
import type { DeviceFilters } from '../../resources/devices/device-queries.ts';
import { Menu } from '../../ui/overlays/menu.tsx';
import { isFiltered } from './device-filters.ts';

type Props = {
  filters: DeviceFilters;
  /** Undefined for a session that cannot register devices. */
  onImport: (() => void) | undefined;
};

/** Import and export of devices as CSV. Their code loads when they are used. */
export const TransferMenu = ({ filters, onImport }: Props) => {
  const exportCsv = async () => (await import('./export-devices.ts')).exportDevices(filters);
  return (
    <Menu
      label="Import and export"
      appearance="icon"
      icon={ellipsisIcon}
      items={[
        ...(onImport === undefined ? [] : [{ label: 'Import CSV…', onSelect: onImport }]),
        {
          label: isFiltered(filters) ? 'Export matching devices as CSV' : 'Export devices as CSV',
          onSelect: () => void exportCsv(),
        },
      ]}
    />
  );
};

import type { DeviceFilters } from '../../resources/devices/device-queries.ts';
import { deviceStateDisplay } from '../../resources/devices/device-state.tsx';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/controls/button.tsx';
import { LinkButton } from '../../ui/controls/link.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { filterOf, isFiltered } from './device-filters.ts';

type Props = {
  filters: DeviceFilters;
  onClear: () => void;
  /** Undefined: this session cannot register devices. */
  create?: { onRegister: () => void; onImport: () => void };
};

/** “No late devices” where one state is the only filter. */
const noMatchTitle = (filters: DeviceFilters): string => {
  const [first, ...more] = filters.state ?? [];
  const isOnlyFilter = Object.keys(filterOf(filters)).length === 1 && more.length === 0;
  return isOnlyFilter && first !== undefined
    ? `No ${deviceStateDisplay[first].word.toLowerCase()} devices`
    : 'No matching devices';
};

/** No rows: because none match, or because there are none yet. */
export const NoDevices = ({ filters, onClear, create }: Props) =>
  isFiltered(filters) ? (
    <EmptyState
      title={noMatchTitle(filters)}
      action={<Button onClick={onClear}>Clear search and filters</Button>}
    >
      {filters.q !== undefined && 'Search matches part of the name or external ID.'}
    </EmptyState>
  ) : (
    <EmptyState
      title="No devices yet"
      action={
        create !== undefined && (
          <>
            <LinkButton variant="primary" to={paths.connect}>
              Connect a device or tool
            </LinkButton>
            <Button onClick={create.onRegister}>Register the first device</Button>
            <Button onClick={create.onImport}>Import CSV…</Button>
          </>
        )
      }
    >
      You do not have to register a device first: Penstock registers unknown devices on their first message.
    </EmptyState>
  );

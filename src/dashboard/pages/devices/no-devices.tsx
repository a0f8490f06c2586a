import { Button } from '../../ui/controls/button.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';

type Props = { isFiltered: boolean; onClear: () => void; onRegister?: () => void };

/** No rows: because none match, or because there are none yet. */
export const NoDevices = ({ isFiltered, onClear, onRegister }: Props) =>
  isFiltered ? (
    <EmptyState
      title="No device matches"
      action={<Button onClick={onClear}>Clear search and filters</Button>}
    >
      Search looks for a part of the name or the external id.
    </EmptyState>
  ) : (
    <EmptyState
      title="No devices yet"
      action={
        onRegister !== undefined && (
          <Button look="primary" onClick={onRegister}>
            Register the first device
          </Button>
        )
      }
    >
      A device that sends before it is registered here is registered at its first message.
    </EmptyState>
  );

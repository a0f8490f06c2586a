import { Button } from '../../ui/controls/button.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';

type Props = { isSearched: boolean; onClear: () => void; onCreate: () => void };

/** Why no key is listed, and the one next step. */
export const NoApiKeys = ({ isSearched, onClear, onCreate }: Props) =>
  isSearched ? (
    <EmptyState title="No key is called that" action={<Button onClick={onClear}>Clear the search</Button>}>
      Revoked keys are found only while they are shown.
    </EmptyState>
  ) : (
    <EmptyState
      title="No API keys yet"
      action={
        <Button look="primary" onClick={onCreate}>
          Create key
        </Button>
      }
    >
      A key lets a device, a script or a person use the API: only what it is allowed to, and until it expires
      or is revoked.
    </EmptyState>
  );

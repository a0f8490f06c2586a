import { Button } from '../../ui/controls/button.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';

type Props = {
  isSearched: boolean;
  onClear: () => void;
  /** Left out where this session may not. */
  onCreate?: () => void;
};

/** Why no webhook is listed, and the one next step. */
export const NoWebhooks = ({ isSearched, onClear, onCreate }: Props) =>
  isSearched ? (
    <EmptyState
      title="No webhook is called that"
      action={<Button onClick={onClear}>Clear the search</Button>}
    />
  ) : (
    <EmptyState
      title="Nobody is told yet"
      {...(onCreate !== undefined && {
        action: (
          <Button look="primary" onClick={onCreate}>
            Add webhook
          </Button>
        ),
      })}
    >
      A webhook calls an address of yours, such as a chat channel, a pager or a ticket system, when a device
      goes offline, a pipeline changes its state, or a key is about to expire.
      {onCreate === undefined &&
        ' To add one takes the scope devices:write, which this session does not hold.'}
    </EmptyState>
  );

import { Button } from '../../ui/controls/button.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';

/** What destinations are for, where there is none but the built-in store. */
export const OnlyBuiltIn = ({ onCreate }: { onCreate?: () => void }) => (
  <div className="mt-4 rounded-md border border-hairline bg-surface">
    <EmptyState
      title="Everything stays in the built-in store so far"
      {...(onCreate !== undefined && {
        action: (
          <Button look="primary" onClick={onCreate}>
            Add the first destination
          </Button>
        ),
      })}
    >
      A destination is a place elsewhere that pipelines send their values to: a database, a broker, a web
      address, or files. While it cannot be reached, values wait on disk here, in order; none is lost.
      {onCreate === undefined &&
        ' To add one takes the scope pipelines:write, which this session does not hold.'}
    </EmptyState>
  </div>
);

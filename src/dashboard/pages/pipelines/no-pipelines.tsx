import { paths } from '../../paths.ts';
import { Button } from '../../ui/controls/button.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { LinkButton } from '../../ui/controls/link.tsx';

type Props = { isFiltered: boolean; onClear: () => void; mayWrite: boolean };

/** No rows: because none match, or because there are none yet. */
export const NoPipelines = ({ isFiltered, onClear, mayWrite }: Props) =>
  isFiltered ? (
    <EmptyState
      title="No pipeline matches"
      action={<Button onClick={onClear}>Clear search and filters</Button>}
    >
      Search looks for a part of the name.
    </EmptyState>
  ) : (
    <EmptyState
      title="No pipelines yet"
      action={
        mayWrite && (
          <LinkButton look="primary" to={paths.newPipeline}>
            Create the first pipeline
          </LinkButton>
        )
      }
    >
      A pipeline takes in the messages of a source (MQTT, HTTP, this machine), reads the values in them and
      stores them. Each value is accounted for: delivered, pending or rejected with its reason.
    </EmptyState>
  );

import { paths } from '../../paths.ts';
import { Button } from '../../ui/controls/button.tsx';
import { LinkButton } from '../../ui/controls/link.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';

type Props = { isFiltered: boolean; onClear: () => void; canWrite: boolean };

/** No rows: because none match, or because there are none yet. */
export const NoPipelines = ({ isFiltered, onClear, canWrite }: Props) =>
  isFiltered ? (
    <EmptyState
      title="No matching pipelines"
      action={<Button onClick={onClear}>Clear search and filters</Button>}
    >
      Search matches part of the name.
    </EmptyState>
  ) : (
    <EmptyState
      title="No pipelines yet"
      action={
        canWrite && (
          <LinkButton variant="primary" to={paths.newPipeline}>
            Create the first pipeline
          </LinkButton>
        )
      }
    >
      A pipeline reads messages from a source (MQTT, HTTP, this machine) and maps them to samples. The ledger
      counts every sample: delivered, pending or rejected with its reason.
    </EmptyState>
  );

import { NoItems } from '../../kit/resource/resource-page.tsx';

/** Below the built-in store, while it is the only destination. `onCreate` is left out without `pipelines:write`. */
export const NoDestinations = ({ onCreate }: { onCreate: (() => void) | undefined }) => (
  <div className="mt-4 rounded-md border border-hairline bg-surface">
    <NoItems
      title="No external destinations yet"
      create="Add the first destination"
      onCreate={onCreate}
      scope="pipelines:write"
    >
      An external destination receives samples from pipelines: a database, a broker, a web server or files.
      While it is unreachable, Penstock queues its samples on disk, in order.
    </NoItems>
  </div>
);

import { EmptyState } from '../../ui/feedback/empty-state.tsx';

/** A device without telemetry here: it has sent nothing, how it is connected stands above, or it goes elsewhere. */
export const FirstSample = ({ wasSeen }: { wasSeen: boolean }) =>
  wasSeen ? (
    <EmptyState title="Nothing of it is in the built-in store">
      It was heard from: what it sends goes to other destinations, or was rejected. Its pipelines tell.
    </EmptyState>
  ) : (
    <EmptyState title="It has sent nothing yet">
      Its first value appears here as soon as it is stored. Connect, above, has lines that send one.
    </EmptyState>
  );

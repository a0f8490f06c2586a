import { EmptyState } from '../../ui/empty-state.tsx';

/** A device that has sent nothing: how it is connected stands above. */
export const FirstSample = () => (
  <EmptyState title="It has sent nothing yet">
    Its first value appears here as soon as it is stored. Connect, above, has lines that send one.
  </EmptyState>
);

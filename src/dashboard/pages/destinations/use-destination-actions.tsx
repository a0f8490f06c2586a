import { Suspense, useRef } from 'react';
import type { Destination } from '#contract/destinations.ts';
import { hasCode } from '../../api/api-error.ts';
import { deletionOf, useConfirm } from '../../kit/confirm/use-confirm.tsx';
import { useDialog } from '../../kit/confirm/use-dialog.ts';
import {
  useDeleteDestination,
  useTestDestination,
} from '../../resources/destinations/destination-queries.ts';
import { lazyDialog } from '../../ui/overlays/lazy-popup.tsx';

/** Tests one destination at a time; the result of a stopped test is ignored. */
export const useDestinationTest = () => {
  const { mutate, reset, variables, data, error, isPending } = useTestDestination();
  const running = useRef<AbortController>(undefined);
  const stop = () => {
    running.current?.abort();
    reset();
  };
  return {
    /** The destination that was tested last. */
    testedId: variables?.id ?? null,
    isPending,
    data,
    error,
    start: (id: string) => {
      stop();
      running.current = new AbortController();
      mutate({ id, signal: running.current.signal });
    },
    stop,
  };
};
export type DestinationTest = ReturnType<typeof useDestinationTest>;

const DestinationInUseDialog = lazyDialog(
  async () => (await import('./destination-in-use-dialog.tsx')).DestinationInUseDialog,
);

/** Deletes a destination after a confirmation. A destination in use lists its pipelines instead. */
export const useDestinationDeletion = (onDeleted: () => void) => {
  const { mutateAsync: remove } = useDeleteDestination();
  const { confirm, isAsking, dialog } = useConfirm();
  const used = useDialog<string>();
  const ask = ({ id, name, usedBy }: Destination) => {
    if (usedBy > 0) {
      used.open(name);
      return;
    }
    confirm(
      deletionOf({
        name,
        body: (
          <p>
            Deletes the address and secrets of the destination from Penstock. Delivered samples stay in the
            destination. No pipeline uses it. This cannot be undone.
          </p>
        ),
        run: () => remove(id),
        onDeleted,
        // A pipeline may use it since the list was read; then the service rejects the deletion.
        onError: (error) => {
          const isUsed = hasCode(error, 'conflict');
          if (isUsed) used.open(name);
          return isUsed;
        },
      }),
    );
  };
  return {
    ask,
    isAsking: isAsking || used.state.isOpen,
    dialogs: (
      <>
        {dialog}
        {used.subject !== null && (
          <Suspense>
            <DestinationInUseDialog name={used.subject} state={used.state} />
          </Suspense>
        )}
      </>
    ),
  };
};

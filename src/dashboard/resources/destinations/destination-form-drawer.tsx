import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Destination, SignedDestination } from '#contract/destinations.ts';
import { destinationQueries } from './destination-queries.ts';
import { Failure } from '../../kit/failure.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Drawer } from '../../ui/overlays/dialog.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { DestinationForm } from './destination-form.tsx';
import { useDestinationSecret } from './use-destination-secret.tsx';

const FORM = 'destination-form';

type Props = {
  isOpen: boolean;
  /** The destination to edit; null: a new one. */
  destinationId: string | null;
  /** `created`: the destination that was added here. */
  onClose: (created: Destination | null) => void;
  /** It is gone and can be dropped, and with it the secret that it held. */
  onClosed: () => void;
};

/** Types whose calls are signed; the secret that comes with them is shown once. */
const signedTypes = new Set(['webhook']);

/** Creates a destination, or edits one. In the place of the form of one that signs its calls comes its secret. */
export const DestinationFormDrawer = ({ isOpen, destinationId, onClose, onClosed }: Props) => {
  // What was open stays in the drawer while it slides away.
  const [shownId, setShownId] = useState(destinationId);
  if (isOpen && shownId !== destinationId) setShownId(destinationId);
  const [isBusy, setIsBusy] = useState(false);
  const firstField = useRef<HTMLInputElement>(null);
  const types = useQuery(destinationQueries.types());
  const destination = useQuery({
    ...destinationQueries.detail(shownId ?? ''),
    enabled: isOpen && shownId !== null,
  });
  const [created, setCreated] = useState<Destination | null>(null);
  const secret = useDestinationSecret(() => onClose(created));
  const isReady = types.data !== undefined && (shownId === null || destination.data !== undefined);
  const failed = [types, destination].find(({ error, data }) => error !== null && data === undefined);

  const onCreated = (made: SignedDestination) => {
    const { secret: shown, ...plain } = made;
    if (shown === null && !signedTypes.has(made.type)) {
      onClose(plain);
      return;
    }
    setCreated(plain);
    secret.hold(made);
  };

  return (
    <Drawer
      isOpen={isOpen}
      onClose={secret.requestClose}
      onClosed={onClosed}
      title={
        secret.made !== null
          ? `${secret.made.name} is created`
          : shownId === null
            ? 'Add destination'
            : 'Edit destination'
      }
      initialFocus={firstField}
      footer={
        secret.made !== null ? (
          secret.footer
        ) : (
          <>
            <Button onClick={() => onClose(null)}>Cancel</Button>
            <Button type="submit" form={FORM} look="primary" busy={isBusy} disabled={!isReady}>
              {shownId === null ? 'Add destination' : 'Save'}
            </Button>
          </>
        )
      }
    >
      {secret.made !== null ? (
        secret.body
      ) : isReady ? (
        <DestinationForm
          key={shownId ?? 'new'}
          id={FORM}
          types={types.data}
          destination={shownId === null ? undefined : destination.data}
          failure={shownId === null ? null : destination.error}
          firstField={firstField}
          onBusy={setIsBusy}
          onCreated={onCreated}
          onSaved={() => onClose(null)}
        />
      ) : failed !== undefined ? (
        <Failure error={failed.error} onRetry={() => void failed.refetch()} />
      ) : (
        <div className="flex flex-col gap-6">
          {[1, 2, 3].map((field) => (
            <Skeleton key={field} className="h-8" />
          ))}
        </div>
      )}
    </Drawer>
  );
};

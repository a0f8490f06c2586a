import { Suspense, useState } from 'react';
import type { Destination } from '#contract/destinations.ts';
import { lazyPopup } from '../../ui/overlays/lazy-popup.tsx';
import type { PipelineFormState } from './pipeline-form-values.ts';

const DestinationFormDrawer = lazyPopup(
  async () =>
    (await import('../../resources/destinations/destination-form-drawer.tsx')).DestinationFormDrawer,
);

/** Adds a destination in a drawer and chooses it in the form. `drawer` belongs outside of the form element. */
export const useAddDestination = ({ setValue }: Pick<PipelineFormState, 'setValue'>) => {
  const [state, setState] = useState<'none' | 'open' | 'closing'>('none');
  const close = (added: Destination | null) => {
    setState('closing');
    if (added !== null)
      setValue('destination', added.name, { shouldDirty: true, shouldTouch: true, shouldValidate: true });
  };
  const drawer = state !== 'none' && (
    <Suspense>
      <DestinationFormDrawer
        isOpen={state === 'open'}
        destinationId={null}
        onClose={close}
        onClosed={() => setState('none')}
      />
    </Suspense>
  );
  return { open: () => setState('open'), drawer };
};

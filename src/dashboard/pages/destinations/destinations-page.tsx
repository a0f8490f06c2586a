import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Pencil, PlugZap, Trash2 } from 'lucide-react';
import { lazy, Suspense } from 'react';
import type { Destination } from '#contract/destinations.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { ResourcePage, RowMenu, type ResourceWords } from '../../kit/resource/resource-page.tsx';
import { useResourceAddress } from '../../kit/resource/use-resource-address.ts';
import { destinationQueries } from '../../resources/destinations/destination-queries.ts';
import { builtInFirst, isBuiltIn } from '../../resources/destinations/destination-state.tsx';
import { destinationAddress } from './destination-address.ts';
import { destinationColumns } from './destination-columns.tsx';
import type { DestinationAction } from './destination-drawer.tsx';
import { useDestinationDeletion, useDestinationTest } from './use-destination-actions.tsx';
import { Optional } from '../../ui/browser/optional.tsx';
import { lazyDrawer, lazyPopup } from '../../ui/overlays/lazy-popup.tsx';
import { loadedItems } from '../../api/paged-list.ts';

// On a phone the code of the cards loads first, and the list then has its height.
const NoDestinations = lazy(async () => ({
  default: (await import('./no-destinations.tsx')).NoDestinations,
}));

const DestinationFormDrawer = lazyPopup(
  async () =>
    (await import('../../resources/destinations/destination-form-drawer.tsx')).DestinationFormDrawer,
);
const DestinationDrawer = lazyDrawer(
  async () => (await import('./destination-drawer.tsx')).DestinationDrawer,
  ({ destinationId, onClose }) => ({ isOpen: destinationId !== null, onClose }),
);

const words: ResourceWords = { title: 'Destinations', one: 'destination', create: 'Add destination' };

/** The destinations of pipelines and their states. */
export const DestinationsPage = () => {
  const address = useResourceAddress(destinationAddress, 'destination');
  const list = useInfiniteQuery(destinationQueries.list(address.filters));
  const { data: types = [] } = useQuery(destinationQueries.types());
  const rows = builtInFirst(loadedItems(list.data));
  const total = list.data?.pages[0]?.total;
  const canWrite = useHasScope('pipelines:write');
  const test = useDestinationTest();
  const deletion = useDestinationDeletion(address.close);

  const runAction = (action: DestinationAction, destination: Destination) => {
    if (action === 'test') {
      test.start(destination.id);
      address.open(destination.id);
    } else if (action === 'edit') {
      // The result of a test does not apply to changed settings.
      test.stop();
      address.edit(destination.id);
    } else deletion.ask(destination);
  };
  const rowMenu = (destination: Destination) => (
    <DestinationMenu
      key={destination.id}
      destination={destination}
      onAction={(action) => runAction(action, destination)}
    />
  );

  const { form } = address;
  const isFormOpen = canWrite && form.isOpen;
  return (
    <ResourcePage
      words={words}
      address={address}
      list={list}
      table={{
        columns: destinationColumns(types, rows),
        rows,
        rowMark: ({ state, name, url }) => `${state} ${name} ${url}`,
        rowActions: canWrite ? rowMenu : undefined,
        // Never empty: the built-in store is always listed.
        empty: null,
      }}
      canCreate={canWrite}
    >
      {address.filters.q === undefined && total === 1 && (
        <Optional>
          <NoDestinations onCreate={canWrite ? address.create : undefined} />
        </Optional>
      )}
      {!canWrite && total !== undefined && total > 1 && (
        <p className="mt-3 text-sm text-muted">You need pipelines:write to add or edit destinations.</p>
      )}
      <Suspense>
        {form.isMounted && (
          <DestinationFormDrawer
            isOpen={isFormOpen}
            destinationId={form.editedId}
            onClose={(created) => form.close(created?.id)}
            onClosed={form.onClosed}
          />
        )}
        {address.hasDrawer && (
          <DestinationDrawer
            // One drawer or dialog at a time: the form and the confirmation hide the drawer while they are open.
            destinationId={isFormOpen || deletion.isAsking ? null : address.openId}
            types={types}
            test={test}
            onAction={runAction}
            onClose={address.close}
          />
        )}
      </Suspense>
      {deletion.dialogs}
    </ResourcePage>
  );
};

type MenuProps = { destination: Destination; onAction: (action: DestinationAction) => void };

/** The actions on a destination in its row. The built-in store can only be tested. */
const DestinationMenu = ({ destination, onAction }: MenuProps) => (
  <RowMenu
    name={destination.name}
    items={[
      { label: 'Test', icon: <PlugZap aria-hidden />, onSelect: () => onAction('test') },
      ...(isBuiltIn(destination)
        ? []
        : ([
            { label: 'Edit…', icon: <Pencil aria-hidden />, onSelect: () => onAction('edit') },
            'separator',
            {
              label: 'Delete…',
              icon: <Trash2 aria-hidden />,
              isDanger: true,
              onSelect: () => onAction('delete'),
            },
          ] as const)),
    ]}
  />
);

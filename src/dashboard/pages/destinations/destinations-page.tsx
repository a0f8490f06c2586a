import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Ellipsis, Pencil, PlugZap, Trash2 } from 'lucide-react';
import { lazy, Suspense } from 'react';
import type { Destination } from '#contract/destinations.ts';
import { useMay } from '../../api/session-queries.ts';
import { ResourcePage, type ResourceWords } from '../../kit/resource/resource-page.tsx';
import { useResourceAddress } from '../../kit/resource/use-resource-address.ts';
import { destinationQueries } from '../../resources/destinations/destination-queries.ts';
import { builtInFirst, isBuiltIn } from '../../resources/destinations/destination-state.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { Menu } from '../../ui/overlays/menu.tsx';
import { destinationAddress } from './destination-address.ts';
import { destinationColumns } from './destination-columns.tsx';
import type { DestinationAct } from './destination-drawer.tsx';
import { useDestinationDeletion, useDestinationTest } from './use-destination-acts.tsx';

const DestinationFormDrawer = lazy(async () => ({
  default: (await import('../../resources/destinations/destination-form-drawer.tsx')).DestinationFormDrawer,
}));
const DestinationDrawer = lazy(async () => ({
  default: (await import('./destination-drawer.tsx')).DestinationDrawer,
}));

const words: ResourceWords = { title: 'Destinations', one: 'destination', create: 'Add destination' };

/** Where values of pipelines go, and whether they get there. */
export const DestinationsPage = () => {
  const address = useResourceAddress(destinationAddress, 'destination');
  const list = useInfiniteQuery(destinationQueries.list(address.filters));
  const { data: types = [] } = useQuery(destinationQueries.types());
  const rows = builtInFirst(list.data?.pages.flatMap((page) => page.data) ?? []);
  const total = list.data?.pages[0]?.total;
  const mayWrite = useMay('pipelines:write');
  const test = useDestinationTest();
  const deletion = useDestinationDeletion(address.close);

  const act = (name: DestinationAct, destination: Destination) => {
    if (name === 'test') {
      test.start(destination.id);
      address.open(destination.id);
    } else if (name === 'edit') {
      // The result of a test does not apply to changed settings.
      test.stop();
      address.edit(destination.id);
    } else deletion.ask(destination);
  };
  const rowMenu = (destination: Destination) => (
    <RowMenu destination={destination} onAct={(name) => act(name, destination)} />
  );

  const { form } = address;
  const isFormOpen = mayWrite && form.isOpen;
  return (
    <ResourcePage
      words={words}
      address={address}
      list={list}
      table={{
        columns: destinationColumns(types, rows),
        rows,
        rowMark: ({ state, name, url }) => `${state} ${name} ${url}`,
        rowActions: mayWrite ? rowMenu : undefined,
        // The built-in store is always among them.
        empty: null,
      }}
      mayCreate={mayWrite}
      toolbar={{ searchFrom: 2 }}
    >
      {address.filters.q === undefined && total === 1 && (
        <OnlyBuiltIn {...(mayWrite && { onCreate: address.create })} />
      )}
      {!mayWrite && total !== undefined && total > 1 && (
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
            // One at a time: the form and the question take the place of what they are about, and give it back.
            destinationId={isFormOpen || deletion.isAsking ? null : address.openId}
            types={types}
            test={test}
            onAct={act}
            onClose={address.close}
          />
        )}
      </Suspense>
      {deletion.dialogs}
    </ResourcePage>
  );
};

type RowMenuProps = { destination: Destination; onAct: (act: DestinationAct) => void };

/** What can be done with a destination from its row. The built-in store can be tested only. */
const RowMenu = ({ destination, onAct }: RowMenuProps) => (
  <Menu
    label={`Actions for ${destination.name}`}
    isIconOnly
    icon={<Ellipsis />}
    items={[
      { label: 'Test', icon: <PlugZap aria-hidden />, onSelect: () => onAct('test') },
      ...(isBuiltIn(destination)
        ? []
        : ([
            { label: 'Edit…', icon: <Pencil aria-hidden />, onSelect: () => onAct('edit') },
            'separator',
            {
              label: 'Delete…',
              icon: <Trash2 aria-hidden />,
              isDanger: true,
              onSelect: () => onAct('delete'),
            },
          ] as const)),
    ]}
  />
);

/** What destinations are for, where there is none but the built-in store. */
const OnlyBuiltIn = ({ onCreate }: { onCreate?: () => void }) => (
  <div className="mt-4 rounded-md border border-hairline bg-surface">
    <EmptyState
      title="No external destinations yet"
      {...(onCreate !== undefined && {
        action: (
          <Button look="primary" onClick={onCreate}>
            Add the first destination
          </Button>
        ),
      })}
    >
      An external destination receives samples from pipelines: a database, a broker, a web server or files.
      While it is unreachable, Penstock queues its samples on disk, in order.
      {onCreate === undefined && ' You need pipelines:write to add one.'}
    </EmptyState>
  </div>
);

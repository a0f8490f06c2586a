import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { Suspense, useState } from 'react';
import { describeNetwork, type AllowedNetwork } from '#contract/networks.ts';
import { useConfirm } from '../../kit/confirm/use-confirm.tsx';
import { Failure } from '../../kit/failure.tsx';
import { networkQueries, useRemoveNetwork } from '../../resources/network/network-queries.ts';
import { Button } from '../../ui/controls/button.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { showToast } from '../../ui/feedback/toast.ts';
import { plural } from '../../ui/format/format-number.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { lazyPopup } from '../../ui/overlays/lazy-popup.tsx';

const AllowNetworkDrawer = lazyPopup(
  async () => (await import('./allow-network-drawer.tsx')).AllowNetworkDrawer,
);

/** What the service may connect to besides public addresses. */
export const NetworkPage = () => {
  const { data, error, refetch } = useQuery(networkQueries.list());
  const [form, setForm] = useState<'open' | 'closing' | null>(null);
  const { askToRemove, dialog } = useRemoval();
  const isFailed = error !== null && data === undefined;
  return (
    <>
      <PageHeader
        title="Network"
        aside={
          <output className="tabular text-muted">
            {data !== undefined && plural(data.length, 'network')}
          </output>
        }
        actions={
          !isFailed && (
            <Button
              variant="primary"
              icon={<Plus aria-hidden className="size-4" />}
              onClick={() => setForm('open')}
            >
              Allow network
            </Button>
          )
        }
      >
        Pipelines, destinations and webhooks connect to public addresses and to these networks.
      </PageHeader>
      <div className="rounded-md border border-hairline bg-surface">
        {isFailed ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : (
          <Networks networks={data} onRemove={askToRemove} />
        )}
      </div>
      {form !== null && (
        <Suspense>
          <AllowNetworkDrawer
            isOpen={form === 'open'}
            onClose={() => setForm('closing')}
            onClosed={() => setForm(null)}
          />
        </Suspense>
      )}
      {dialog}
    </>
  );
};

type StoredNetwork = AllowedNetwork & { id: string };
const isStored = (network: AllowedNetwork): network is StoredNetwork => network.id !== null;

const Networks = ({
  networks,
  onRemove,
}: {
  networks: readonly AllowedNetwork[] | undefined;
  onRemove: (network: StoredNetwork) => void;
}) => {
  if (networks === undefined)
    return (
      <div aria-busy className="flex flex-col gap-3 px-4 py-3">
        {[1, 2, 3].map((row) => (
          <Skeleton key={row} className="h-9" />
        ))}
      </div>
    );
  if (networks.length === 0)
    return (
      <EmptyState title="No networks allowed yet">
        Allow the address of a device or server in your own network, such as a Modbus device at 10.0.0.5.
      </EmptyState>
    );
  return (
    <ul aria-label="Allowed networks" className="divide-y divide-hairline">
      {networks.map((network) => (
        <li
          key={network.id ?? network.network}
          className="flex min-h-13 flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2"
        >
          <div className="min-w-0 flex-1 basis-48">
            <p className="font-mono text-sm break-all">{describeNetwork(network)}</p>
            <p className="text-sm text-muted">
              {network.ports === null && 'All ports. '}
              <Origin network={network} />
            </p>
          </div>
          {isStored(network) && (
            <Button aria-label={`Remove ${describeNetwork(network)}…`} onClick={() => onRemove(network)}>
              Remove…
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
};

const Origin = ({ network: { createdAt, createdBy } }: { network: AllowedNetwork }) =>
  createdAt === null ? (
    'From ALLOWED_NETWORKS. To remove it, change the variable and restart Penstock.'
  ) : (
    <>
      Allowed by {createdBy} <RelativeTime at={createdAt} />.
    </>
  );

const useRemoval = () => {
  const { mutateAsync } = useRemoveNetwork();
  const { confirm, dialog } = useConfirm();
  const askToRemove = (network: StoredNetwork) => {
    const name = describeNetwork(network);
    confirm({
      title: `Remove ${name}?`,
      body: (
        <p>
          Penstock stops connecting to {name} immediately. Pipelines, destinations and webhooks that use it
          show an error. Open connections stay open.
        </p>
      ),
      confirmLabel: 'Remove',
      run: () => mutateAsync(network.id),
      onDone: () => showToast({ title: `Removed ${name}` }),
    });
  };
  return { askToRemove, dialog };
};

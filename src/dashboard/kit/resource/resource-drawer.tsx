import { useQuery, type QueryKey, type UseQueryOptions } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { paths, withQuery } from '../../paths.ts';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { Drawer } from '../../ui/overlays/dialog.tsx';
import { Failure } from '../failure.tsx';

type Props<T, K extends QueryKey> = {
  /** The open item; null: none. */
  id: string | null;
  /** The title until the name is loaded: “API key”. */
  kind: string;
  query: (id: string) => UseQueryOptions<T, Error, T, K>;
  onClose: () => void;
  /** The actions of the item. */
  renderActions: (item: T) => ReactNode;
  children: (item: T) => ReactNode;
};

/** The details and the actions of one item. */
export const ResourceDrawer = <T extends { name: string }, K extends QueryKey>(props: Props<T, K>) => {
  const { id, kind, query, onClose, renderActions, children } = props;
  const shownId = useShownId(id, id !== null);
  // A deleted item is not fetched again.
  const { data, error, refetch } = useQuery({ ...query(shownId ?? ''), enabled: id !== null });
  const footer = data === undefined ? null : renderActions(data);
  return (
    <Drawer
      state={{ isOpen: id !== null, onClose }}
      title={data?.name ?? kind}
      {...(footer !== null && { footer })}
    >
      {data !== undefined ? (
        children(data)
      ) : error !== null ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <div className="flex flex-col gap-6 pt-2">
          {[1, 2, 3, 4].map((line) => (
            <Skeleton key={line} className="w-2/3" />
          ))}
        </div>
      )}
    </Drawer>
  );
};

/** The ID that a drawer shows. It stays while the drawer closes. */
export const useShownId = (id: string | null, isOpen: boolean): string | null => {
  const [shownId, setShownId] = useState(id);
  if (!isOpen || shownId === id) return shownId;
  setShownId(id);
  return id;
};

type DrawerAction = { label: string; onSelect: () => void; isDanger?: boolean };

/** The buttons at the foot of a drawer; the dangerous one stands apart. */
export const DrawerActions = ({ actions }: { actions: readonly DrawerAction[] }) =>
  actions.map(({ label, onSelect, isDanger = false }) => (
    <Button
      key={label}
      {...(isDanger && { variant: 'quiet', className: 'mr-auto text-bad-text!' })}
      onClick={onSelect}
    >
      {label}
    </Button>
  ));

/** A titled part of a drawer; `help` explains its controls. */
export const DrawerSection = ({
  title,
  help,
  children,
}: {
  title: string;
  help?: ReactNode;
  children: ReactNode;
}) => (
  <section aria-label={title} className={help === undefined ? undefined : 'flex flex-col items-start gap-3'}>
    {help === undefined ? (
      <h3 className="mb-1 font-medium">{title}</h3>
    ) : (
      <div>
        <h3 className="mb-1 font-medium">{title}</h3>
        <p className="text-muted">{help}</p>
      </div>
    )}
    {children}
  </section>
);

/** Leads to the events of an item. `kind`: “API key”. */
export const ActivityLink = ({ id, kind }: { id: string; kind: string }) => (
  <p>
    <Link to={withQuery(paths.activity, { subject: id })}>Activity of this {kind}</Link>
  </p>
);

type Fact = { name: string; value: ReactNode };

/** Facts that several kinds of items have, for a `KeyValueList`. */
export const facts = {
  /** `note`: what the state means, if the badge is not enough. */
  state: (badge: ReactNode, note: string | null): Fact => ({
    name: 'State',
    value: (
      <>
        {badge}
        {note !== null && <span className="mt-1 block text-muted">{note}</span>}
      </>
    ),
  }),
  address: (url: string): Fact => ({
    name: 'Address',
    value: (
      <span className="flex items-start gap-1">
        <span className="min-w-0 flex-1 font-mono text-sm break-all">{url}</span>
        <CopyButton text={url} label="Copy address" className="-my-1.5" />
      </span>
    ),
  }),
  lastDelivered: (at: string | null): Fact => ({
    name: 'Last delivered',
    value: at === null ? <span className="text-faint">Not yet</span> : <RelativeTime at={at} />,
  }),
  lastError: (error: { detail: string; at: string } | null, className?: string): Fact => ({
    name: 'Last error',
    value:
      error === null ? (
        <span className="text-faint">None</span>
      ) : (
        <>
          <span className={className}>{error.detail}</span>{' '}
          <RelativeTime at={error.at} className="text-muted" />
        </>
      ),
  }),
  created: (at: string): Fact => ({ name: 'Created', value: <RelativeTime at={at} /> }),
};

import { useQuery, type QueryKey, type UseQueryOptions } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { Drawer } from '../../ui/overlays/dialog.tsx';
import { Failure } from '../failure.tsx';
import { useShownId } from './use-shown-id.ts';

type Props<T, K extends QueryKey> = {
  /** The open item; null: none. */
  id: string | null;
  /** What it is called until its name is there: “API key”. */
  kind: string;
  query: (id: string) => UseQueryOptions<T, Error, T, K>;
  onClose: () => void;
  /** What can be done with it. */
  renderActions: (item: T) => ReactNode;
  children: (item: T) => ReactNode;
};

/** All that is known of one item, and what can be done with it. */
export const ResourceDrawer = <T extends { name: string }, K extends QueryKey>(props: Props<T, K>) => {
  const { id, kind, query, onClose, renderActions, children } = props;
  const shownId = useShownId(id, id !== null);
  // An item that was just deleted is not asked for again.
  const { data, error, refetch } = useQuery({ ...query(shownId ?? ''), enabled: id !== null });
  const footer = data === undefined ? null : renderActions(data);
  return (
    <Drawer
      isOpen={id !== null}
      onClose={onClose}
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

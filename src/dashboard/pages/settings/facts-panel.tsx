import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failure } from '../../kit/failure.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { KeyValueList } from '../../ui/layout/key-value-list.tsx';
import { Panel } from '../../ui/layout/panel.tsx';

type Props = {
  title: string;
  aside?: ReactNode;
  /** The query that the facts come from. */
  query: Pick<UseQueryResult, 'data' | 'error' | 'refetch'>;
  /** A value is undefined until it is loaded. */
  facts: readonly { name: string; value: ReactNode }[];
  /** On a phone, values are below their names. */
  hasLongValues?: boolean;
  /** Shown below the facts. */
  children?: ReactNode;
};

/** A panel of facts, or why they failed to load. */
export const FactsPanel = ({
  title,
  aside,
  query: { data, error, refetch },
  facts,
  hasLongValues,
  children,
}: Props) => {
  if (data === undefined && error !== null) {
    return (
      <Panel title={title} flush>
        <Failure error={error} onRetry={() => void refetch()} />
      </Panel>
    );
  }
  return (
    <Panel title={title} aside={aside}>
      <KeyValueList
        hasLongValues={hasLongValues ?? false}
        items={facts.map(({ name, value }) => ({
          name,
          value: value === undefined ? <Skeleton className="h-4 w-40" /> : value,
        }))}
      />
      {children}
    </Panel>
  );
};

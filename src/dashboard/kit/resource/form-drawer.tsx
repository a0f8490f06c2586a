import { useQuery, type QueryKey, type UseQueryOptions, type UseQueryResult } from '@tanstack/react-query';
import { createRef, Fragment, useId, useState, type ReactNode, type RefObject } from 'react';
import type { Scope } from '#contract/scope.ts';
import { missingScopesError } from '../../api/api-error.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { Drawer, type DialogState } from '../../ui/overlays/dialog.tsx';
import { Failure } from '../failure.tsx';
import { useShownId } from './resource-drawer.tsx';
import type { SecretOnce } from '../secret/use-secret-once.tsx';

/** What a drawer passes to its form. */
export type FormSlot = {
  /** The ID of the form element, for the submit button in the footer. */
  id: string;
  firstField: RefObject<HTMLInputElement | null>;
  onBusy: (isBusy: boolean) => void;
};

type FormWords = { title: string; submit: string };

type Props = {
  drawer: DialogState;
  words: FormWords;
  /** Without it, the service rejects what the form submits. */
  scope: Scope;
  /** What the form needs before it can be filled in. */
  reads: readonly Pick<UseQueryResult, 'data' | 'error' | 'refetch'>[];
  /** Replaces the form after an item with a secret was created. */
  secret?: SecretOnce;
  children: (slot: FormSlot) => ReactNode;
};

/** A drawer with a form. */
export const FormDrawer = ({ drawer, words, scope, reads, secret, children }: Props) => {
  const id = useId();
  // Passed to the form as a value, which is not allowed for a ref of `useRef` while rendering.
  const [firstField] = useState(() => createRef<HTMLInputElement>());
  const [isBusy, setIsBusy] = useState(false);
  const hasScope = useHasScope(scope);
  const item = secret?.item ?? null;
  const isReady = reads.every(({ data }) => data !== undefined);
  const failed = reads.find(({ error, data }) => error !== null && data === undefined);
  return (
    <Drawer
      state={{ ...drawer, onClose: secret?.requestClose ?? drawer.onClose }}
      title={item === null ? words.title : `Created ${item.name}`}
      initialFocus={firstField}
      footer={
        item !== null ? (
          secret?.footer
        ) : (
          <>
            <Button onClick={drawer.onClose}>Cancel</Button>
            <Button type="submit" form={id} variant="primary" busy={isBusy} disabled={!isReady || !hasScope}>
              {words.submit}
            </Button>
          </>
        )
      }
    >
      {item !== null ? (
        secret?.body
      ) : !hasScope ? (
        <Failure error={missingScopesError([scope])} />
      ) : isReady ? (
        children({ id, firstField, onBusy: setIsBusy })
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

type ItemProps<T, K extends QueryKey> = Pick<Props, 'drawer' | 'scope' | 'secret'> & {
  words: { new: FormWords; edit: FormWords };
  /** The item to edit; null: a new one. */
  id: string | null;
  query: (id: string) => UseQueryOptions<T, Error, T, K>;
  /** What the form needs besides the item. */
  reads?: Props['reads'];
  /** `failure`: why the item could not be read again. */
  children: (slot: FormSlot, item: { item: T | undefined; failure: Error | null }) => ReactNode;
};

/** A drawer whose form creates an item, or edits the item with an id. */
export const ItemFormDrawer = <T, K extends QueryKey>(props: ItemProps<T, K>) => {
  const { drawer, words, scope, id, query, reads = [], secret, children } = props;
  const shownId = useShownId(id, drawer.isOpen);
  const isNew = shownId === null;
  const read = useQuery({ ...query(shownId ?? ''), enabled: drawer.isOpen && !isNew });
  return (
    <FormDrawer
      drawer={drawer}
      words={isNew ? words.new : words.edit}
      scope={scope}
      reads={isNew ? reads : [...reads, read]}
      {...(secret !== undefined && { secret })}
    >
      {(slot) => (
        <Fragment key={shownId ?? 'new'}>
          {children(
            slot,
            isNew ? { item: undefined, failure: null } : { item: read.data, failure: read.error },
          )}
        </Fragment>
      )}
    </FormDrawer>
  );
};

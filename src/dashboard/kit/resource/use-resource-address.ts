import { useState } from 'react';
import { useQueryParams, type ChangeOptions } from '../../ui/browser/query-params.ts';
import type { Sort } from '../../ui/table/data-table-props.ts';
import { useOnceTrue } from '../../ui/browser/once-true.ts';
import { withParams } from '../../ui/browser/with-params.ts';
import type { ListAddress } from './list-address.ts';

/**
 * The URL of a resource's page: the search and the order of its list, the open item (`param` is its ID), and the form
 * of a new item (`create`) or of an edited one (`edit`).
 */
export const useResourceAddress = <Filters extends { q?: string | undefined }>(
  address: ListAddress<Filters>,
  param: string,
) => {
  const [params, setParams] = useQueryParams();
  const change = (changes: Record<string, string>, options: ChangeOptions = {}) =>
    setParams((old) => withParams(old, changes), { ...options, preventScrollReset: true });
  const editedId = params.get('edit');
  const openId = params.get(param);
  const isCreating = params.get('create') !== null;
  const isFormOpen = isCreating || editedId !== null;
  const [hasForm, setHasForm] = useState(isFormOpen);
  if (isFormOpen && !hasForm) setHasForm(true);
  const hasDrawer = useOnceTrue(openId !== null);
  return {
    params,
    change,
    filters: address.readFilters(params),
    sort: address.readSort(params),
    onSort: (sort: Sort) => change({ sort: address.sortParam(sort) }),
    linkOf: (id: string) => `?${withParams(params, { [param]: id })}`,
    openId,
    open: (id: string) => change({ [param]: id }),
    close: () => change({ [param]: '' }, { replace: true }),
    create: () => change({ create: 'new' }),
    edit: (id: string) => change({ edit: id }),
    /** Whether an item was opened. Its drawer stays mounted while it closes. */
    hasDrawer,
    form: {
      /** Whether the form is mounted: open or closing. */
      isMounted: hasForm || isFormOpen,
      isOpen: isFormOpen,
      isCreating,
      /** The item to edit; null: a new one. */
      editedId,
      /** Closes the form. A created item is opened, since testing it is the next step. */
      close: (createdId: string | null = null) =>
        change(
          { create: '', edit: '', ...(createdId !== null && { [param]: createdId }) },
          { replace: true },
        ),
      /** Unmounts the form, and with it the secret that it may show. */
      onClosed: () => setHasForm(false),
    },
  };
};
export type ResourceAddress = ReturnType<typeof useResourceAddress>;

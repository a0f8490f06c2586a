import { useState } from 'react';
import { useSearchParams } from 'react-router-dom';
import type { Sort } from '../../ui/table/data-table-props.ts';
import { useOnceTrue } from '../../ui/browser/once-true.ts';
import { withParams } from '../../ui/browser/with-params.ts';
import type { ListAddress } from './list-address.ts';

/**
 * What the address of a resource's page says: the search and the order of its list, the open item (`param` holds its
 * id), and the form of a new item (`create`) or of one that is edited (`edit`).
 */
export const useResourceAddress = <Filters extends { q?: string | undefined }>(
  address: ListAddress<Filters>,
  param: string,
) => {
  const [params, setParams] = useSearchParams();
  const change = (changes: Record<string, string>, { replace = false } = {}) =>
    setParams((old) => withParams(old, changes), { replace, preventScrollReset: true });
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
    /** Whether an item was opened: its drawer stays for its way out. */
    hasDrawer,
    form: {
      /** Whether it is on the page, open or on its way out. */
      isMounted: hasForm || isFormOpen,
      isOpen: isFormOpen,
      isCreating,
      /** The item to edit; null: a new one. */
      editedId,
      /** Closes the form; what was created is opened, since to test it comes next. */
      close: (createdId: string | null = null) =>
        change(
          { create: '', edit: '', ...(createdId !== null && { [param]: createdId }) },
          { replace: true },
        ),
      /** Drops the form, and with it the secret that it may hold. */
      onClosed: () => setHasForm(false),
    },
  };
};
export type ResourceAddress = ReturnType<typeof useResourceAddress>;

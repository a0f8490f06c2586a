import { useCallback, useEffect, useEffectEvent, useState } from 'react';
import { useLocation } from 'react-router-dom';
import { isOverlayOpen, isTyping } from '../browser/key-target.ts';
import type { Selection } from './data-table-props.ts';

/** The selected rows: these, or all rows of the list except these. Never the IDs of a whole list. */
export type Selected = { isAllExcept: boolean; ids: ReadonlySet<string> };

const nothing: Selected = { isAllExcept: false, ids: new Set() };
const isNothing = ({ isAllExcept, ids }: Selected) => !isAllExcept && ids.size === 0;

const withRows = (selected: Selected, rows: readonly string[], isSelected: boolean): Selected => {
  const ids = new Set(selected.ids);
  for (const id of rows) {
    if (isSelected === selected.isAllExcept) ids.delete(id);
    else ids.add(id);
  }
  return { ...selected, ids };
};

type List = {
  /** Identifies the list, such as its filters. Another list starts with nothing selected. */
  key: string;
  /** The number of rows in the whole list, if known. */
  total: number | undefined;
  /** Called when another list ended a selection. */
  onLost: () => void;
};

export type ListSelection = Selection & {
  selected: Selected;
  count: number;
  isEmpty: boolean;
  selectAll: () => void;
  clear: () => void;
};

/** The last selection, and the entry of the browser's history that it belongs to. */
let last: { entry: string; key: string; selected: Selected } | undefined;

/**
 * The selection of a list. Back and Forward bring it back. Sorting, live updates and further pages keep it; Esc clears
 * it.
 */
export const useSelection = ({ key, total = 0, onLost }: List): ListSelection => {
  const { key: entry } = useLocation();
  const [state, setState] = useState(() => ({
    key,
    selected: last?.entry === entry && last.key === key ? last.selected : nothing,
    losses: 0,
  }));
  const { losses } = state;
  if (state.key !== key)
    setState({ key, selected: nothing, losses: isNothing(state.selected) ? losses : losses + 1 });
  const selected = state.key === key ? state.selected : nothing;

  useEffect(() => {
    last = { entry, key, selected };
  }, [entry, key, selected]);

  const reportLoss = useEffectEvent(onLost);
  useEffect(() => {
    if (losses > 0) reportLoss();
  }, [losses]);

  const set = useCallback(
    (ids: readonly string[], isSelected: boolean) =>
      setState((old) => ({ ...old, selected: withRows(old.selected, ids, isSelected) })),
    [],
  );
  const clear = useCallback(() => setState((old) => ({ ...old, selected: nothing })), []);
  const selectAll = useCallback(
    () => setState((old) => ({ ...old, selected: { isAllExcept: true, ids: new Set() } })),
    [],
  );
  useEscape(!isNothing(selected), clear);

  return {
    selected,
    isEmpty: isNothing(selected),
    count: selected.isAllExcept ? Math.max(0, total - selected.ids.size) : selected.ids.size,
    isSelected: (id) => selected.isAllExcept !== selected.ids.has(id),
    set,
    selectAll,
    clear,
  };
};

/** Esc outside of fields, menus and dialogs, which have their own use for it. */
const useEscape = (isActive: boolean, onEscape: () => void) => {
  useEffect(() => {
    if (!isActive) return undefined;
    const listener = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !isTyping(event.target) && !isOverlayOpen()) onEscape();
    };
    // Before a menu closes by the same key.
    document.addEventListener('keydown', listener, { capture: true });
    return () => document.removeEventListener('keydown', listener, { capture: true });
  }, [isActive, onEscape]);
};

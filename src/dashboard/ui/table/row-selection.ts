import { useCallback, useEffect, useRef } from 'react';
import type { Selection } from './data-table-props.ts';

export type SelectRow = (id: string, isSelected: boolean, isRange: boolean) => void;

type Options = { ids: readonly string[]; selection: Selection | undefined };

/** The rows from one index to another, in either direction. */
const between = (ids: readonly string[], a: number, b: number) =>
  ids.slice(Math.min(a, b), Math.max(a, b) + 1);

/**
 * Selects rows: one, the range from the row selected before (Shift+click), or the range over which the focus moves
 * (Shift+arrow). The start of a range is kept by ID, so that rows may move. The functions stay the same between renders.
 */
export const useRowSelection = ({ ids, selection }: Options) => {
  const latest = useRef({ ids, selection });
  useEffect(() => {
    latest.current = { ids, selection };
  });
  const startId = useRef<string | null>(null);

  const select = useCallback<SelectRow>((id, isSelected, isRange) => {
    const { ids: rows, selection: target } = latest.current;
    const start = startId.current === null ? -1 : rows.indexOf(startId.current);
    target?.set(isRange && start !== -1 ? between(rows, start, rows.indexOf(id)) : [id], isSelected);
    startId.current = id;
  }, []);

  /** Moves the end of the range. Rows that the range leaves are deselected. */
  const extend = useCallback((from: number, to: number) => {
    const { ids: rows, selection: target } = latest.current;
    const known = startId.current === null ? -1 : rows.indexOf(startId.current);
    const start = known === -1 ? from : known;
    startId.current = rows[start] ?? null;
    const range = between(rows, start, to);
    const inRange = new Set(range);
    target?.set(
      between(rows, start, from).filter((id) => !inRange.has(id)),
      false,
    );
    target?.set(range, true);
  }, []);

  const startOver = useCallback(() => {
    startId.current = null;
  }, []);

  return { select, extend, startOver };
};

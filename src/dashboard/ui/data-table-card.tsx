import { Checkbox } from './checkbox.tsx';
import { cx } from './cx.ts';
import { ChangeMark, RowLink, type RowProps } from './data-table-row.tsx';

/** A row where there is no room for columns: its name, what stands beside it, and the details below. */
export const DataTableCard = <Row,>({
  table,
  columns,
  row,
  index,
  topPx,
  isActive,
  onFocusRow,
  measure,
}: RowProps<Row>) => {
  const { selection, rowActions, rowId, rowName } = table;
  const name = columns.find(({ isName }) => isName === true);
  const others = columns.filter((column) => column !== name);
  const isSelected = selection?.isSelected(rowId(row)) ?? false;
  return (
    <div
      role="listitem"
      data-index={index}
      ref={measure}
      onFocus={onFocusRow}
      style={{ transform: `translateY(${topPx}px)` }}
      className={cx(
        'absolute inset-x-0 top-0 flex min-h-16 items-center gap-3 border-b border-hairline px-4 py-2.5',
        'has-[[data-row-link]:focus-visible]:outline-2 has-[[data-row-link]:focus-visible]:-outline-offset-2 has-[[data-row-link]:focus-visible]:outline-accent',
        isSelected && 'bg-accent-soft',
      )}
    >
      {selection !== undefined && (
        <span className="relative z-1 flex">
          <Checkbox
            aria-label={`Select ${rowName(row)}`}
            checked={isSelected}
            onChange={(event) => selection.toggle(rowId(row), event.target.checked)}
          />
        </span>
      )}
      <div className="min-w-0 flex-1">
        <div className="flex items-center gap-3">
          <div className="min-w-0 flex-1">
            <RowLink table={table} row={row} isActive={isActive}>
              {name?.cell(row)}
            </RowLink>
          </div>
          {others
            .filter(({ card }) => card === 'aside')
            .map((column) => (
              <div key={column.id}>{column.cell(row)}</div>
            ))}
        </div>
        <div className="mt-0.5 flex min-w-0 flex-wrap gap-x-3 gap-y-0.5 text-sm text-muted">
          {others
            .filter(({ card }) => card === 'detail')
            .map((column) => (
              <div key={column.id} className="min-w-0 max-w-full truncate empty:hidden">
                {column.cell(row)}
              </div>
            ))}
        </div>
      </div>
      {rowActions !== undefined && <div className="relative z-1 -mr-2">{rowActions(row)}</div>}
      <ChangeMark mark={table.rowMark?.(row)} />
    </div>
  );
};

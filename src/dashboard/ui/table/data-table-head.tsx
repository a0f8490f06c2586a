// oxlint-disable jsx-a11y/prefer-tag-over-role, jsx-a11y/no-noninteractive-element-interactions -- rows are placed by grid and transform, which would take a table’s own roles away; the key handler serves the links inside
import { ArrowDown, ArrowUp } from 'lucide-react';
import { Checkbox } from '../controls/checkbox.tsx';
import { cx } from '../browser/cx.ts';
import type { Column, DataTableProps } from './data-table-props.ts';

type Props<Row> = Pick<DataTableProps<Row>, 'sort' | 'onSort' | 'selection' | 'rowActions' | 'label'> & {
  columns: readonly Column<Row>[];
  template: string;
};

/** The sticky head of a table; a click sorts, another reverses the order. */
export const DataTableHead = <Row,>({
  columns,
  template,
  sort,
  onSort,
  selection,
  rowActions,
  label,
}: Props<Row>) => (
  <div role="rowgroup" className="sticky top-0 z-10 rounded-t-md border-b border-hairline bg-surface">
    <div
      role="row"
      aria-rowindex={1}
      className="grid h-9 items-center px-4 text-sm"
      style={{ gridTemplateColumns: template }}
    >
      {selection !== undefined && (
        <div role="columnheader" className="flex">
          <Checkbox
            aria-label={`Select all: ${label}`}
            checked={selection.all === 'all'}
            indeterminate={selection.all === 'some'}
            onChange={(event) => selection.toggleAll(event.target.checked)}
          />
        </div>
      )}
      {columns.map((column) => {
        const isSorted = sort !== undefined && column.sort === sort.by;
        const Arrow = sort?.isDescending === true ? ArrowDown : ArrowUp;
        return (
          <div
            key={column.id}
            role="columnheader"
            aria-sort={isSorted ? (sort.isDescending ? 'descending' : 'ascending') : undefined}
            className={cx('flex min-w-0 pr-3', column.align === 'end' && 'justify-end')}
          >
            {column.sort === undefined ? (
              <span className="truncate font-medium text-muted">{column.header}</span>
            ) : (
              <button
                type="button"
                onClick={() =>
                  onSort?.({ by: column.sort ?? '', isDescending: isSorted && !sort.isDescending })
                }
                className={cx(
                  '-mx-1.5 inline-flex h-7 min-w-0 items-center gap-1 rounded-sm px-1.5 font-medium hover:bg-hover hover:text-ink',
                  isSorted ? 'text-ink' : 'text-muted',
                )}
              >
                <span className="truncate">{column.header}</span>
                {isSorted && <Arrow aria-hidden className="size-3.5 shrink-0" />}
              </button>
            )}
          </div>
        );
      })}
      {rowActions !== undefined && (
        <div role="columnheader">
          <span className="sr-only">Actions</span>
        </div>
      )}
    </div>
  </div>
);

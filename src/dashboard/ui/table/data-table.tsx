// oxlint-disable jsx-a11y/prefer-tag-over-role, jsx-a11y/no-noninteractive-element-interactions -- rows are placed by grid and transform, which would take a table’s own roles away; the key handler serves the links inside
import { lazy, Suspense, useEffect, useId, useRef, type ReactNode } from 'react';
import { CARD_PX, type DataTableProps, type Column, type Selection } from './data-table-props.ts';
import { DataTableRow } from './data-table-row.tsx';
import { useFittingColumns } from './fitting-columns.ts';
import { useIsNarrow, useMediaQuery } from '../browser/media-query.ts';
import { MoreRows } from './more-rows.tsx';
import { Skeleton } from '../feedback/skeleton.tsx';
import { useMoreRows } from './more-rows.tsx';
import { useRowKeys } from './row-keys.ts';
import { useRowLinks } from './row-links.ts';
import { useDrawnRows, useWindowRows } from './window-rows.ts';
import { useStaleClass } from '../feedback/stale-class.ts';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { Checkbox } from '../controls/checkbox.tsx';
import { cx } from '../browser/cx.ts';

const DataTableCards = lazy(async () => ({
  default: (await import('./data-table-cards.tsx')).DataTableCards,
}));

const SKELETON_ROWS = 12;

/**
 * A table that renders only visible rows and loads more on scroll. Arrow keys, Home, End and Page keys move between
 * rows, Enter opens one, Space selects it, Shift selects a range. On a phone it lists cards. Functions in its props
 * should stay the same between renders: a row renders only when it changes.
 */
export const DataTable = <Row,>(props: DataTableProps<Row>) => {
  const { label, rows, total, isLoading = false, isStale = false, empty } = props;
  const isNarrow = useIsNarrow();
  if (!isLoading && rows.length === 0) {
    return (
      <div className="rounded-md border border-hairline bg-surface" aria-busy={isStale}>
        {empty}
      </div>
    );
  }
  const skeleton = <SkeletonRows rowPx={CARD_PX} />;
  return (
    <div
      role={isNarrow ? undefined : 'table'}
      aria-label={isNarrow ? undefined : label}
      aria-rowcount={isNarrow ? undefined : total === undefined ? -1 : total + 1}
      aria-busy={isLoading || isStale}
      className={cx(
        'relative rounded-md border border-hairline bg-surface',
        props.sort !== undefined && 'max-md:pt-14',
      )}
    >
      {!isNarrow ? (
        <Rows {...props} />
      ) : (
        <Suspense fallback={skeleton}>
          {/* `lazy` loses the type parameter. */}
          <DataTableCards {...(props as unknown as DataTableProps<unknown>)} skeleton={skeleton} />
        </Suspense>
      )}
      <MoreRows kind="rows" {...props} />
    </div>
  );
};

const Rows = <Row,>(props: DataTableProps<Row>) => {
  const { columns, rows, rowId, rowName, rowLink, rowMark, rowActions, selection } = props;
  const { isStale = false, onVisible } = props;
  const ids = rows.map(rowId);
  const rowPx = useMediaQuery('(pointer: coarse)') ? 44 : 36;
  const body = useRef<HTMLDivElement>(null);
  const fitting = useFittingColumns(columns, body, {
    hasSelection: selection !== undefined,
    hasActions: rowActions !== undefined,
  });
  const { first, last, from, to, scrollTo } = useWindowRows(body, {
    count: rows.length,
    rowPx,
    listKey: ids[0],
  });
  const { activeIndex, setActive, onKeyDown, select } = useRowKeys({
    body,
    ids,
    selection,
    perPage: Math.max(1, last - first - 2),
    scrollTo,
  });
  const staleClass = useStaleClass(isStale);
  const { hrefOf, ...onLinks } = useRowLinks();
  const reading = { rowId, rowName, rowLink, rowMark, rowActions, select, hrefOf };
  useMoreRows(props, { count: rows.length, last });

  const visible = rows.slice(first, last + 1);
  const visibleKey = visible.map(rowId).join(' ');
  useEffect(() => {
    onVisible?.(visible);
    // oxlint-disable-next-line react/exhaustive-deps -- called once for each set of rows, not for each change of their data
  }, [visibleKey]);

  const indexes = Array.from({ length: Math.max(0, to - from + 1) }, (_, offset) => from + offset);
  // The focused row stays rendered during scrolling.
  if (activeIndex < from && rows.length > 0) indexes.unshift(activeIndex);
  else if (activeIndex > to) indexes.push(activeIndex);
  const drawn = useDrawnRows(ids, indexes);

  return (
    <>
      <DataTableHead {...props} ids={ids} columns={fitting.columns} template={fitting.template} />
      <div
        ref={body}
        role="rowgroup"
        {...onLinks}
        onKeyDown={onKeyDown}
        className={cx('relative', staleClass)}
        style={{ height: (rows.length > 0 ? rows.length : SKELETON_ROWS) * rowPx }}
      >
        {rows.length === 0 && (
          <SkeletonRows rowPx={rowPx} template={fitting.template}>
            {selection !== undefined && <span />}
            {fitting.columns.map(({ id, align }) => (
              <Skeleton key={id} className={align === 'end' ? 'mr-3 ml-auto w-1/2' : 'w-1/2'} />
            ))}
          </SkeletonRows>
        )}
        {drawn.map(({ index, key }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <DataTableRow
              key={key}
              reading={reading}
              columns={fitting.columns}
              template={fitting.template}
              row={row}
              index={index}
              topPx={index * rowPx}
              isActive={index === activeIndex}
              isSelected={selection?.isSelected(rowId(row)) ?? false}
              onFocusRow={setActive}
            />
          );
        })}
      </div>
    </>
  );
};

type SkeletonProps = {
  rowPx: number;
  /** The columns of a table; left out: a card. */
  template?: string;
  children?: ReactNode;
};

const SkeletonRows = ({ rowPx, template, children }: SkeletonProps) => (
  <div aria-hidden role="presentation">
    {Array.from({ length: SKELETON_ROWS }, (_, index) => (
      <div
        key={index}
        style={{ height: rowPx, gridTemplateColumns: template ?? '1fr auto' }}
        className="grid items-center border-b border-hairline px-4 last:border-0"
      >
        {children ?? (
          <>
            <Skeleton className="w-1/2" />
            <Skeleton className="w-24" />
          </>
        )}
      </div>
    ))}
  </div>
);

type Props<Row> = Pick<DataTableProps<Row>, 'sort' | 'onSort' | 'selection' | 'rowActions' | 'label'> & {
  /** The IDs of the loaded rows. */
  ids: readonly string[];
  columns: readonly Column<Row>[];
  template: string;
};

type SelectLoadedProps = { label: string; ids: readonly string[]; selection: Selection };

/** Selects all loaded rows, or none. */
const SelectLoaded = ({ label, ids, selection }: SelectLoadedProps) => {
  const id = useId();
  const selected = ids.filter(selection.isSelected).length;
  const isAll = selected > 0 && selected === ids.length;
  return (
    <div role="columnheader" className="-ml-4 h-full">
      <label htmlFor={id} className="flex h-full items-center pl-4">
        <Checkbox
          id={id}
          aria-label={`Select all loaded: ${label}`}
          checked={isAll}
          indeterminate={selected > 0 && !isAll}
          onChange={() => selection.set(ids, !isAll)}
        />
      </label>
    </div>
  );
};

/** The sticky head of a table; a click sorts, another reverses the order. */
const DataTableHead = <Row,>({
  ids,
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
      {selection !== undefined && <SelectLoaded label={label} ids={ids} selection={selection} />}
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

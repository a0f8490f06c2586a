// oxlint-disable jsx-a11y/prefer-tag-over-role, jsx-a11y/no-noninteractive-element-interactions -- rows are placed by grid and transform, which would take a table’s own roles away; the key handler serves the links inside
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { RowTabIndex } from '../controls/row-tab-index.ts';
import { cx } from '../browser/cx.ts';
import { ChangeMark, RowCheckbox, rowClass, RowLink, type RowProps } from './data-table-row.tsx';
import { CARD_PX, type DataTableProps } from './data-table-props.ts';
import { useMoreRows } from './more-rows.tsx';
import { SortCards } from './sort-cards.tsx';
import { useRowKeys } from './row-keys.ts';
import { useRowLinks } from './row-links.ts';
import { useStaleClass } from '../feedback/stale-class.ts';
import { useVirtualRows } from './use-virtual-rows.ts';

const PER_PAGE = 6;

const detailClass = 'max-w-full truncate empty:hidden';
/** Times and counts change while the card is read: a longer one must not wrap and move the cards below. */
const steadyClass = 'min-w-20';

/** The rows of a table as cards, for narrow screens. Cards differ in height, so each is measured. */
export const DataTableCards = <Row,>(props: DataTableProps<Row> & { skeleton: ReactNode }) => {
  const {
    skeleton,
    label,
    columns,
    rows,
    rowId,
    rowName,
    rowLink,
    rowMark,
    rowActions,
    selection,
    sort,
    onSort,
    isStale = false,
  } = props;
  const ids = rows.map(rowId);
  const body = useRef<HTMLDivElement>(null);
  const scroller = useRef<(index: number) => void>(() => undefined);
  const { activeIndex, setActive, onKeyDown, select } = useRowKeys({
    body,
    ids,
    selection,
    perPage: PER_PAGE,
    scrollTo: (index) => scroller.current(index),
  });
  const staleClass = useStaleClass(isStale);
  const { hrefOf, onClick } = useRowLinks();
  const reading = { rowId, rowName, rowLink, rowMark, rowActions, select, hrefOf };
  const { items, totalPx, offsetPx, measure, scrollTo, last } = useVirtualRows({
    count: rows.length,
    estimatePx: CARD_PX,
    body,
    keep: activeIndex,
    rowKey: (index) => {
      const row = rows[index];
      return row === undefined ? index : rowId(row);
    },
  });
  useEffect(() => {
    scroller.current = scrollTo;
  });
  useMoreRows(props, { count: rows.length, last });

  if (rows.length === 0) return skeleton;
  return (
    <>
      {sort !== undefined && onSort !== undefined && (
        <SortCards columns={columns} sort={sort} onSort={onSort} />
      )}
      <div
        ref={body}
        role="list"
        aria-label={label}
        onClick={onClick}
        onKeyDown={onKeyDown}
        className={cx('relative', staleClass)}
        style={{ height: totalPx }}
      >
        {items.map(({ key, index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <Card
              key={key}
              reading={reading}
              columns={columns}
              row={row}
              index={index}
              topPx={start - offsetPx}
              isActive={index === activeIndex}
              isSelected={selection?.isSelected(rowId(row)) ?? false}
              onFocusRow={setActive}
              measure={measure}
            />
          );
        })}
      </div>
    </>
  );
};

/** A card: its name, its aside, and the details below. */
const Card = <Row,>(props: RowProps<Row> & { measure: (element: Element | null) => void }) => {
  const { reading, columns, row, index, topPx, isActive, isSelected, onFocusRow, measure } = props;
  const { select, rowActions, rowMark } = reading;
  const checkboxId = useId();
  const name = columns.find(({ isName }) => isName === true);
  return (
    <div
      role="listitem"
      data-index={index}
      ref={measure}
      onFocus={() => onFocusRow(index)}
      style={{ transform: `translateY(${topPx}px)` }}
      className={cx(rowClass(isSelected), 'flex min-h-16 items-center gap-3 py-2.5')}
    >
      {select !== undefined && (
        <span className="relative z-1 flex">
          <RowCheckbox {...props} select={select} id={checkboxId} />
        </span>
      )}
      <div className="min-w-0 flex-1">
        <div className="flex items-center gap-3">
          <div className="min-w-0 flex-1">
            {select === undefined ? (
              <RowLink reading={reading} row={row} isActive={isActive}>
                {name?.cell(row)}
              </RowLink>
            ) : (
              // While cards are selected, a tap anywhere selects instead of opening.
              <label
                htmlFor={checkboxId}
                className="block min-w-0 truncate font-medium after:absolute after:inset-0"
              >
                {name?.cell(row)}
              </label>
            )}
          </div>
          {columns
            .filter(({ card }) => card === 'aside')
            .map((column) => (
              <div key={column.id}>{column.cell(row)}</div>
            ))}
        </div>
        <div className="mt-0.5 flex min-w-0 flex-wrap gap-x-3 gap-y-0.5 text-sm text-muted">
          {columns
            .filter(({ card }) => card === 'detail')
            .map((column) => (
              <div
                key={column.id}
                className={cx(detailClass, column.align === 'end' ? steadyClass : 'min-w-0')}
              >
                {column.cell(row)}
              </div>
            ))}
        </div>
      </div>
      {rowActions !== undefined && select === undefined && (
        <div className="relative z-1 -mr-2">
          <RowTabIndex value={isActive ? 0 : -1}>{rowActions(row)}</RowTabIndex>
        </div>
      )}
      <ChangeMark id={reading.rowId(row)} mark={rowMark?.(row)} />
    </div>
  );
};

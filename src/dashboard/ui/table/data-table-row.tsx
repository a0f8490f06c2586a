// oxlint-disable jsx-a11y/prefer-tag-over-role, jsx-a11y/no-noninteractive-element-interactions -- rows are placed by grid and transform, which would take a table’s own roles away; the key handler serves the links inside
import { memo, useId, useState, type ReactNode } from 'react';
import { Checkbox } from '../controls/checkbox.tsx';
import { RowTabIndex } from '../controls/row-tab-index.ts';
import { cx } from '../browser/cx.ts';
import { rowTextClass, type Column, type RowReading } from './data-table-props.ts';
import type { SelectRow } from './row-selection.ts';

/** How rows are read, and selected where they can be. */
export type SelectableReading<Row> = RowReading<Row> & {
  select: SelectRow | undefined;
  /** The address of a row's link, below the base path. */
  hrefOf: (path: string) => string;
};

export type RowProps<Row> = {
  reading: SelectableReading<Row>;
  columns: readonly Column<Row>[];
  row: Row;
  index: number;
  topPx: number;
  /** The one row that Tab reaches. */
  isActive: boolean;
  isSelected: boolean;
  onFocusRow: (index: number) => void;
};

/** A fading highlight on a row whose `rowMark` changed. Another row (`id`) in its place is not a change. */
export const ChangeMark = ({ id, mark }: { id: string; mark: string | undefined }) => {
  const [seen, setSeen] = useState({ id, mark, changes: 0 });
  if (seen.id !== id) setSeen({ id, mark, changes: 0 });
  else if (seen.mark !== mark) setSeen({ id, mark, changes: seen.changes + 1 });
  if (seen.changes === 0) return null;
  return (
    <span
      key={seen.changes}
      aria-hidden
      className="row-changed pointer-events-none absolute inset-0 mix-blend-multiply dark:mix-blend-screen"
    />
  );
};

type LinkProps<Row> = Pick<RowProps<Row>, 'reading' | 'row' | 'isActive'> & { children: ReactNode };

/**
 * The row's link covers the row: a click anywhere opens it, the middle button in a new tab. The table follows it
 * (`useRowLinks`): a `Link` per row would render every row whenever the URL changes.
 */
export const RowLink = <Row,>({ reading, row, isActive, children }: LinkProps<Row>) => (
  <a
    href={reading.hrefOf(reading.rowLink(row))}
    data-row-link={reading.rowLink(row)}
    tabIndex={isActive ? 0 : -1}
    className="block min-w-0 truncate font-medium outline-none after:absolute after:inset-0"
  >
    {typeof children === 'string' ? (
      <span data-hint-if-cut className={`relative z-1 md:text-balance ${rowTextClass}`}>
        {children}
      </span>
    ) : (
      children
    )}
  </a>
);

export const rowClass = (isSelected: boolean) =>
  cx(
    'absolute inset-x-0 top-0 border-b border-hairline px-4',
    // The faint text has too little contrast on this background.
    isSelected && 'bg-accent-soft [--faint:var(--muted)]',
  );

type CheckboxProps<Row> = Pick<RowProps<Row>, 'reading' | 'row' | 'isSelected'> & {
  select: SelectRow;
  id: string;
  tabIndex?: number;
};

export const RowCheckbox = <Row,>({ reading, row, isSelected, select, id, tabIndex }: CheckboxProps<Row>) => (
  <Checkbox
    id={id}
    aria-label={`Select ${reading.rowName(row)}`}
    tabIndex={tabIndex}
    checked={isSelected}
    // Shift+click would select text too.
    onMouseDown={(event) => {
      if (event.shiftKey) event.preventDefault();
    }}
    onChange={(event) => {
      const { nativeEvent } = event;
      const isRange = nativeEvent instanceof MouseEvent && nativeEvent.shiftKey;
      select(reading.rowId(row), event.target.checked, isRange);
    }}
  />
);

const Row = <Row,>(props: RowProps<Row> & { template: string }) => {
  // A row renders only when it changes, and then as a whole: memoising its parts would cost more.
  'use no memo';
  const { reading, columns, template, row, index, topPx, isActive, isSelected, onFocusRow } = props;
  const { select, rowActions, rowMark } = reading;
  const checkboxId = useId();
  return (
    <div
      role="row"
      data-index={index}
      aria-rowindex={index + 2}
      aria-selected={select === undefined ? undefined : isSelected}
      onFocus={() => onFocusRow(index)}
      style={{ gridTemplateColumns: template, transform: `translateY(${topPx}px)` }}
      className={cx(rowClass(isSelected), 'grid h-(--row) items-center contain-strict hover:bg-hover/60')}
    >
      {select !== undefined && (
        <div role="cell" className="relative z-1 -ml-4 h-full">
          {/* The label fills the cell: a click beside the box must not open the row. */}
          <label htmlFor={checkboxId} className="flex h-full items-center pl-4">
            <RowCheckbox {...props} select={select} id={checkboxId} tabIndex={isActive ? 0 : -1} />
          </label>
        </div>
      )}
      {columns.map((column) => (
        <div
          key={column.id}
          role="cell"
          className={cx('flex min-w-0 items-center pr-3', column.align === 'end' && 'tabular justify-end')}
        >
          {column.isName === true ? (
            <RowLink reading={reading} row={row} isActive={isActive}>
              {column.cell(row)}
            </RowLink>
          ) : (
            column.cell(row)
          )}
        </div>
      ))}
      {rowActions !== undefined && (
        <div role="cell" className="relative z-1 flex justify-end">
          <RowTabIndex value={isActive ? 0 : -1}>{rowActions(row)}</RowTabIndex>
        </div>
      )}
      <ChangeMark id={reading.rowId(row)} mark={rowMark?.(row)} />
    </div>
  );
};

/** A row of the table. The check box and the actions are above the link that covers the row. */
export const DataTableRow = memo(Row) as typeof Row;

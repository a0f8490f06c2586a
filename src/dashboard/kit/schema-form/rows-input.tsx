import { ArrowDown, ArrowUp, Copy, Plus, Trash2 } from 'lucide-react';
import { ellipsisIcon } from '../../ui/controls/ellipsis-icon.tsx';
import {
  useImperativeHandle,
  useRef,
  useState,
  type ClipboardEvent,
  type KeyboardEvent,
  type Ref,
} from 'react';
import { flushSync } from 'react-dom';
import { pointerOf } from '#contract/json-pointer.ts';
import { Button } from '../../ui/controls/button.tsx';
import { cx } from '../../ui/browser/cx.ts';
import { Menu } from '../../ui/overlays/menu.tsx';
import { RowCell } from './row-cell.tsx';
import { keyInForm, singularOf, type SchemaField } from './schema-field.ts';
import { isEmptyRow, newRow, pastedRows, rowsOfText, textOfRows, type Row } from './schema-rows.ts';
import { optionalMark } from '../../ui/controls/field.tsx';

type Props = {
  /** Focuses the first cell with a problem. */
  ref: Ref<{ focus: () => void }>;
  field: SchemaField;
  pointer: string;
  /** The rows as JSON. */
  value: string;
  onChange: (value: string) => void;
  /** Called when the focus leaves the rows. */
  onBlur: () => void;
  /** Problems of cells by path (`1/address`), and of the whole field by an empty path. */
  problems: ReadonlyMap<string, string>;
};

/**
 * Whether the focus stays in the rows: an error on blur would move the button that adds a row under the pointer. Lists and
 * menus of a row are elsewhere in the document.
 */
const staysIn = (rows: HTMLElement, next: EventTarget | null): boolean =>
  next instanceof Element && (rows.contains(next) || next.closest('[role=listbox], [role=menu]') !== null);

/** `isAfterMenu`: in the next frame, since a menu that closes moves the focus too. */
type FocusedCell = { row: number; column?: number | undefined; isAfterMenu?: boolean };

type RowMenuProps = {
  label: string;
  isFirst: boolean;
  isLast: boolean;
  onDuplicate: () => void;
  onMove: (by: -1 | 1) => void;
  onDelete: () => void;
};

const RowMenu = ({ label, isFirst, isLast, onDuplicate, onMove, onDelete }: RowMenuProps) => (
  <Menu
    label={label}
    appearance="icon"
    icon={ellipsisIcon}
    items={[
      { label: 'Duplicate', icon: <Copy aria-hidden />, onSelect: onDuplicate },
      {
        label: 'Move up',
        icon: <ArrowUp aria-hidden />,
        shortcut: 'Alt ↑',
        isDisabled: isFirst,
        onSelect: () => onMove(-1),
      },
      {
        label: 'Move down',
        icon: <ArrowDown aria-hidden />,
        shortcut: 'Alt ↓',
        isDisabled: isLast,
        onSelect: () => onMove(1),
      },
      'separator',
      { label: 'Delete', icon: <Trash2 aria-hidden />, isDanger: true, onSelect: onDelete },
    ]}
  />
);

/** Edits a list of objects, or pairs of names and values, as rows. Lines that are pasted become rows. */
export const RowsInput = ({ ref, field, pointer, value, onChange, onBlur, problems }: Props) => {
  const { label, help, isRequired, columns, isRecord } = field;
  const [state, setState] = useState(() => ({ value, rows: rowsOfText(field, value) ?? [] }));
  // Another version of the form, such as a restored draft.
  if (value !== state.value) setState({ value, rows: rowsOfText(field, value) ?? [] });
  const { rows } = state;
  const list = useRef<HTMLDivElement>(null);
  const singularLabel = singularOf(label);

  // Rows and their problems exist after the next render.
  useImperativeHandle(ref, () => ({
    focus: () =>
      requestAnimationFrame(() => list.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()),
  }));
  const focusCell = (row: number, column = 0) => {
    const cells = list.current?.children[row]?.querySelectorAll('[data-pointer]');
    const addButton = list.current?.nextElementSibling as HTMLElement | null;
    (cells?.[column]?.querySelector('input') ?? addButton)?.focus();
  };
  const change = (next: Row[], focused?: FocusedCell) => {
    const text = textOfRows(field, next);
    const apply = () => {
      setState({ value: text, rows: next });
      onChange(text);
    };
    if (focused === undefined) return apply();
    // At once: a focus in the next frame could come after the user went on to another field.
    flushSync(apply);
    const focus = () => focusCell(focused.row, focused.column);
    if (focused.isAfterMenu === true) requestAnimationFrame(focus);
    else focus();
  };
  const insert = (index: number, added: readonly Row[], isAfterMenu = false) =>
    change(rows.toSpliced(index, 0, ...added), { row: index, isAfterMenu });
  const move = (index: number, by: -1 | 1, column?: number) => {
    const row = rows[index];
    if (row === undefined || rows[index + by] === undefined) return;
    change(rows.toSpliced(index, 1).toSpliced(index + by, 0, row), {
      row: index + by,
      column,
      isAfterMenu: column === undefined,
    });
  };
  const remove = (index: number) =>
    change(rows.toSpliced(index, 1), { row: Math.min(index, rows.length - 2), isAfterMenu: true });

  const paste = (event: ClipboardEvent, index: number, column: number) => {
    const pasted = pastedRows(field, event.clipboardData.getData('text/plain'), column);
    if (pasted === undefined || pasted.length === 0) return;
    event.preventDefault();
    const row = rows[index];
    const isReplaced = row !== undefined && isEmptyRow(row);
    const first = isReplaced ? index : index + 1;
    change(rows.toSpliced(first, isReplaced ? 1 : 0, ...pasted), { row: first });
  };
  const onKeyDown = (event: KeyboardEvent, index: number, column: number) => {
    // In a list of choices, these keys open the list.
    if (!(event.target instanceof HTMLInputElement)) return;
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    move(index, event.key === 'ArrowUp' ? -1 : 1, column);
  };
  /** A record has its problems by name. */
  const keyOf = ({ cells }: Row, index: number) => (isRecord ? (cells['name']?.trim() ?? '') : String(index));
  const problemOf = (row: Row, index: number, column: SchemaField): string | undefined => {
    if (!isRecord) return problems.get(`${index}/${column.name}`);
    if (column.name !== 'name' || isEmptyRow(row)) return undefined;
    const name = keyOf(row, index);
    const isRepeated = rows.some((other, i) => i < index && keyOf(other, i) === name);
    return isRepeated
      ? 'Appears more than once. The last one is used.'
      : problems.get(String(keyInForm(name)));
  };
  const shown = new Set(
    rows.flatMap((row, index) => columns.flatMap((column) => problemOf(row, index, column) ?? [])),
  );
  const unplacedProblems = [...new Set(problems.values())].filter((text) => !shown.has(text));

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the blur of the fields inside
    <fieldset
      className="min-w-0"
      onBlur={(event) => {
        // Nothing was typed yet.
        if (rows.every(isEmptyRow)) return;
        if (!staysIn(event.currentTarget, event.relatedTarget)) onBlur();
      }}
    >
      <legend className="mb-1.5 font-medium">
        {label}
        {!isRequired && optionalMark}
      </legend>
      <div ref={list} className="flex flex-col gap-2">
        {rows.map((row, index) => (
          <fieldset
            key={row.id}
            aria-label={`${singularLabel} ${index + 1}`}
            className="flex min-w-0 items-start gap-1 rounded-md border border-hairline p-2 pr-1"
          >
            <div
              className={cx(
                'grid min-w-0 flex-1 gap-2',
                isRecord ? 'grid-cols-[2fr_3fr]' : 'grid-cols-2 md:grid-cols-4',
              )}
            >
              {columns.map((column, place) => (
                // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- a shortcut of the field inside
                <div
                  key={column.name}
                  data-pointer={`${pointer}${pointerOf([keyOf(row, index), column.name])}`}
                  onKeyDown={(event) => onKeyDown(event, index, place)}
                >
                  <RowCell
                    column={column}
                    value={row.cells[column.name] ?? ''}
                    problem={problemOf(row, index, column)}
                    onChange={(text) =>
                      change(rows.with(index, { ...row, cells: { ...row.cells, [column.name]: text } }))
                    }
                    onPaste={(event) => paste(event, index, place)}
                    onEnter={() => insert(index + 1, [newRow()])}
                  />
                </div>
              ))}
            </div>
            <RowMenu
              label={`Actions for ${singularLabel.toLowerCase()} ${index + 1}`}
              isFirst={index === 0}
              isLast={index === rows.length - 1}
              onDuplicate={() => insert(index + 1, [newRow(row.cells)], true)}
              onMove={(by) => move(index, by)}
              onDelete={() => remove(index)}
            />
          </fieldset>
        ))}
      </div>
      <Button
        variant="quiet"
        icon={<Plus aria-hidden className="size-4" />}
        onClick={() => insert(rows.length, [newRow()])}
        className="mt-1 -ml-2 px-2 text-accent"
      >
        Add {singularLabel.toLowerCase()}
      </Button>
      <p aria-live="polite" className="text-sm text-bad-text empty:hidden">
        {unplacedProblems.join(' ')}
      </p>
      {help !== undefined && <p className="mt-1 text-sm text-muted">{help}</p>}
    </fieldset>
  );
};

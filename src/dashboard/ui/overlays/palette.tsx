// oxlint-disable jsx-a11y/prefer-tag-over-role -- a list box that follows an input (WAI-ARIA combobox) has no tags of its own
import { Dialog as Kit } from '@base-ui/react/dialog';
import { Search } from 'lucide-react';
import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { useAwaitedEnter } from '../browser/awaited-enter.ts';
import { cx } from '../browser/cx.ts';
import { scrimRef } from '../browser/document-mark.ts';
import { takeTyped } from '../browser/type-ahead.ts';

export type PaletteItem = {
  id: string;
  label: string;
  /** Another name, beside the label. */
  alias?: ReactNode;
  detail?: ReactNode;
  icon?: ReactNode;
  /** It changes the open page, so the focus returns to where it was. */
  staysOnPage?: boolean;
  onSelect: () => void;
};
export type PaletteGroup = {
  heading: string;
  items: readonly PaletteItem[];
  /** The service finds them: while it searches, they may belong to an earlier text. */
  isFound?: boolean;
};

type Props = {
  isOpen: boolean;
  onClose: () => void;
  label: string;
  text: string;
  onText: (text: string) => void;
  groups: readonly PaletteGroup[];
  /** Whether results for the text are still to come. */
  isSearching: boolean;
  /** Shown if no group has an item. */
  empty: string;
};

/** Searches while typing: arrow keys choose, Enter opens when the results are there, Esc closes. */
export const Palette = ({ isOpen, onClose, label, text, onText, groups, isSearching, empty }: Props) => {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const hasChosen = useRef(false);
  const [chosen, setChosen] = useState({ text, index: 0 });
  const items = groups.flatMap((group) => group.items);
  // A new text selects the first item.
  const index = chosen.text === text ? Math.min(chosen.index, Math.max(0, items.length - 1)) : 0;
  const active = items[index];

  useEffect(() => {
    if (isOpen) hasChosen.current = false;
  }, [isOpen]);

  useEffect(() => {
    if (index >= 0) list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [index]);

  const select = (item: PaletteItem) => {
    hasChosen.current = item.staysOnPage !== true;
    onClose();
    item.onSelect();
  };
  const group = groups.find(({ items }) => active !== undefined && items.includes(active));
  const { enter, enterFor, cancel } = useAwaitedEnter({
    text,
    // What arrow keys or the pointer chose is taken immediately.
    isSearching: isSearching && (active === undefined || (group?.isFound === true && chosen.text !== text)),
    act: () => {
      if (isOpen && active !== undefined) select(active);
    },
  });
  const move = (step: number) => {
    cancel();
    setChosen({ text, index: (index + step + items.length) % Math.max(1, items.length) });
  };

  return (
    <Kit.Root
      open={isOpen}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Kit.Portal>
        <Kit.Backdrop ref={scrimRef} data-scrim className="fixed inset-0 z-30 bg-scrim" />
        <Kit.Viewport className="fixed inset-0 z-30 flex items-start justify-center p-4 pt-[12dvh]">
          <Kit.Popup
            initialFocus={input}
            // The chosen item takes the focus; otherwise the focus returns.
            finalFocus={() => !hasChosen.current}
            aria-label={label}
            className="flex max-h-[70dvh] w-full max-w-140 flex-col overflow-hidden rounded-md bg-raised shadow-pop outline-none"
          >
            <div className="relative border-b border-hairline">
              <Search aria-hidden className="absolute top-1/2 left-4 size-4 -translate-y-1/2 text-muted" />
              <input
                ref={input}
                role="combobox"
                aria-label={label}
                aria-expanded={items.length > 0}
                aria-controls={`${id}-list`}
                aria-autocomplete="list"
                aria-activedescendant={active === undefined ? undefined : `${id}-${active.id}`}
                placeholder={`${label}…`}
                autoComplete="off"
                spellCheck={false}
                maxLength={200}
                value={text}
                onFocus={() => {
                  const typed = takeTyped();
                  if (typed.text === '') return;
                  onText(typed.text);
                  if (typed.hasEnter) enterFor(typed.text);
                }}
                onChange={(event) => onText(event.target.value)}
                onKeyDown={(event) => {
                  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
                    event.preventDefault();
                    move(event.key === 'ArrowDown' ? 1 : -1);
                  } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
                    event.preventDefault();
                    enter();
                  }
                }}
                className="h-12 w-full bg-transparent pr-4 pl-11 text-lg outline-none placeholder:text-faint"
              />
            </div>
            <div
              ref={list}
              id={`${id}-list`}
              role="listbox"
              aria-label="Results"
              className="min-h-0 overflow-y-auto p-1.5"
            >
              {groups
                .filter((group) => group.items.length > 0)
                .map((group) => (
                  <div key={group.heading} role="group" aria-label={group.heading}>
                    <div aria-hidden className="px-2.5 pt-2 pb-1 text-sm text-muted">
                      {group.heading}
                    </div>
                    {group.items.map((item) => (
                      // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the keys are the input's
                      <div
                        key={item.id}
                        id={`${id}-${item.id}`}
                        role="option"
                        aria-selected={item === active}
                        tabIndex={-1}
                        onClick={() => select(item)}
                        onPointerMove={() => setChosen({ text, index: items.indexOf(item) })}
                        className={cx(
                          'flex min-h-9 cursor-pointer items-center gap-3 rounded-sm px-2.5 py-1 touch:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted',
                          item === active && 'bg-hover forced-colors:system-highlight',
                        )}
                      >
                        {item.icon}
                        <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3">
                          <span className="max-w-full truncate">{item.label}</span>
                          {item.alias}
                        </span>
                        {item.detail !== undefined && (
                          <span className="shrink-0 text-sm text-muted">{item.detail}</span>
                        )}
                      </div>
                    ))}
                  </div>
                ))}
            </div>
            <output className="block px-4 py-3 text-muted empty:hidden">
              {items.length === 0 ? empty : null}
            </output>
          </Kit.Popup>
        </Kit.Viewport>
      </Kit.Portal>
    </Kit.Root>
  );
};

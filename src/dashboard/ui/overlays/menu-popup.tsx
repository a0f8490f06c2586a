import { Menu as Kit } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import { Fragment, type FocusEvent, type RefObject, type ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { cx } from '../browser/cx.ts';
import { keepFocusOnPage } from '../browser/focus-fallback.ts';
import { Kbd } from '../controls/kbd.tsx';
import { popupClass } from '../controls/popup-class.ts';
import { popupItemClass } from '../controls/popup-item-class.ts';

export type MenuItem =
  | {
      label: string;
      icon?: ReactNode;
      shortcut?: string;
      isDanger?: boolean;
      isDisabled?: boolean;
      onSelect: () => void;
    }
  | { label: string; icon?: ReactNode; to: string }
  /** Stays open, so that several can be ticked. */
  | { label: string; isChecked: boolean; onToggle: (isChecked: boolean) => void }
  /** One of a few. */
  | {
      label: string;
      choices: readonly { value: string; label: string }[];
      value: string;
      onChoose: (value: string) => void;
    }
  | { heading: ReactNode }
  | 'separator';

type Props = {
  isOpen: boolean;
  onClose: () => void;
  anchor: RefObject<HTMLElement | null>;
  items: readonly MenuItem[];
  align: 'start' | 'end';
  side: 'bottom' | 'top' | 'right';
  label: string;
};

const itemClass = cx(popupItemClass, '[&_svg]:size-4 [&_svg]:shrink-0');

const Item = ({ item }: { item: MenuItem }) => {
  if (item === 'separator') return <Kit.Separator className="my-1 h-px bg-hairline" />;
  if ('heading' in item) return <div className="px-2.5 py-1.5 text-sm text-muted">{item.heading}</div>;
  if ('choices' in item)
    return (
      <Kit.RadioGroup value={item.value} onValueChange={item.onChoose} aria-label={item.label}>
        <div aria-hidden className="px-2.5 pt-1.5 pb-1 text-sm text-muted">
          {item.label}
        </div>
        {item.choices.map((choice) => (
          <Kit.RadioItem key={choice.value} value={choice.value} closeOnClick={false} className={itemClass}>
            <Tick />
            {choice.label}
          </Kit.RadioItem>
        ))}
      </Kit.RadioGroup>
    );
  if ('isChecked' in item)
    return (
      <Kit.CheckboxItem
        checked={item.isChecked}
        onCheckedChange={item.onToggle}
        closeOnClick={false}
        className={itemClass}
      >
        <Tick checkbox />
        {item.label}
      </Kit.CheckboxItem>
    );
  if ('to' in item)
    return (
      <Kit.LinkItem closeOnClick render={<Link to={item.to} />} className={itemClass}>
        {item.icon}
        {item.label}
      </Kit.LinkItem>
    );
  return (
    <Kit.Item
      disabled={item.isDisabled ?? false}
      onClick={item.onSelect}
      className={cx(itemClass, item.isDanger === true && 'text-bad-text')}
    >
      {item.icon}
      <span className="flex-1">{item.label}</span>
      {item.shortcut !== undefined && <Kbd>{item.shortcut}</Kbd>}
    </Kit.Item>
  );
};

const Tick = ({ checkbox = false }: { checkbox?: boolean }) => (
  <span className="grid size-4 place-items-center text-accent">
    {checkbox ? (
      <Kit.CheckboxItemIndicator render={<Check aria-hidden />} />
    ) : (
      <Kit.RadioItemIndicator render={<Check aria-hidden />} />
    )}
  </span>
);

/** Returns the focus to the button, unless an item opened a dialog, which has the focus by then. */
const returnTo = (anchor: Props['anchor']) => () =>
  document.activeElement?.closest('[role=dialog]') == null ? anchor.current : false;

/** By keyboard, menus begin at the first item. Without a trigger of its own, the kit leaves the focus on the menu. */
const focusFirstItem =
  (anchor: Props['anchor']) =>
  ({ target, currentTarget: menu, relatedTarget }: FocusEvent<HTMLElement>) => {
    if (target !== menu || relatedTarget !== anchor.current || !menu.matches(':focus-visible')) return;
    menu.querySelector<HTMLElement>('[role^=menuitem]:not([aria-disabled=true])')?.focus();
  };

export const MenuPopup = ({ isOpen, onClose, anchor, items, align, side, label }: Props) => (
  <Kit.Root
    open={isOpen}
    onOpenChange={(open) => {
      if (!open) onClose();
    }}
    onOpenChangeComplete={(open) => {
      if (!open) keepFocusOnPage();
    }}
  >
    <Kit.Portal>
      <Kit.Positioner anchor={anchor} align={align} side={side} sideOffset={4} className="z-40 outline-none">
        <Kit.Popup
          finalFocus={returnTo(anchor)}
          onFocus={focusFirstItem(anchor)}
          onKeyDown={(event) => {
            if (event.key !== 'Tab') return;
            // The kit would move the focus to a guard that is invisible, beside a menu that stays open.
            event.preventDefault();
            onClose();
          }}
          aria-label={label}
          className={cx(popupClass, 'min-w-40 p-1')}
        >
          {items.map((item, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- a menu's items keep their places
            <Fragment key={index}>
              <Item item={item} />
            </Fragment>
          ))}
        </Kit.Popup>
      </Kit.Positioner>
    </Kit.Portal>
  </Kit.Root>
);

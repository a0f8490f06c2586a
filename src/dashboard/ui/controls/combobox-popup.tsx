import { Combobox as Kit } from '@base-ui/react/combobox';
import { Check } from 'lucide-react';
import {
  useEffect,
  useState,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
} from 'react';
import { cx } from '../browser/cx.ts';
import { popupClass } from './popup-class.ts';
import { popupItemClass } from './popup-item-class.ts';

export type ComboboxOption = {
  value: string;
  label: string;
  /** Another name, beside the label. */
  alias?: ReactNode;
  detail?: ReactNode;
  /** Of several that are chosen one after another, this one is enough: choosing it closes the list. */
  closesList?: boolean;
};

/** Without an open list, Escape would clear the selection; it is left to the surrounding dialog. */
export const keepChoiceOnEscape = (
  event: KeyboardEvent<HTMLInputElement> & { preventBaseUIHandler: () => void },
) => {
  const isOpen = event.currentTarget.getAttribute('aria-expanded') === 'true';
  if (event.key === 'Escape' && !isOpen) event.preventBaseUIHandler();
};

/** After a touch, the browser sends the click in a task of its own. */
const CLICK_FOLLOWS_MS = 300;

/** Keeps the options while one is pressed. If new results replaced them, the release would hit another option, or none. */
export const usePressedOptions = (options: readonly ComboboxOption[]) => {
  const [pressed, setPressed] = useState<readonly ComboboxOption[]>();
  const release = () => setPressed(undefined);
  useEffect(() => {
    if (pressed === undefined) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const releaseIn = (ms: number) => () => {
      clearTimeout(timer);
      timer = setTimeout(() => setPressed(undefined), ms);
    };
    const listeners = {
      pointerdown: () => clearTimeout(timer),
      pointerup: releaseIn(CLICK_FOLLOWS_MS),
      click: releaseIn(0),
      pointercancel: releaseIn(0),
    };
    for (const [event, listener] of Object.entries(listeners)) window.addEventListener(event, listener);
    return () => {
      clearTimeout(timer);
      for (const [event, listener] of Object.entries(listeners)) window.removeEventListener(event, listener);
    };
  }, [pressed]);
  const onPress = ({ button }: PointerEvent) => {
    // A second press is on the options that the first one keeps.
    if (button === 0) setPressed((kept) => kept ?? options);
  };
  return { shown: pressed ?? options, onPress, release };
};

const GAP_PX = 4;
/** Above the control, the list leaves the label in view. */
const LABEL_PX = 26;
const listOffset = ({ side }: { side: string }) => (side === 'top' ? GAP_PX + LABEL_PX : GAP_PX);

type PopupProps = {
  emptyText: string;
  isLoading: boolean;
  onPress: (event: PointerEvent) => void;
  list?: RefObject<HTMLDivElement | null>;
};

/** The list below the field of a combobox, or above it. */
export const ComboboxPopup = ({ emptyText, isLoading, onPress, list }: PopupProps) => (
  <Kit.Portal>
    <Kit.Positioner align="start" sideOffset={listOffset} className="z-40 outline-none">
      <Kit.Popup className={cx(popupClass, 'w-(--anchor-width) min-w-56')}>
        <Kit.Status className="px-3.5 py-2 text-muted empty:hidden">
          {isLoading ? 'Searching…' : null}
        </Kit.Status>
        {!isLoading && <Kit.Empty className="px-3.5 py-2 text-muted empty:hidden">{emptyText}</Kit.Empty>}
        <Kit.List ref={list} onPointerDownCapture={onPress} className="p-1 empty:hidden">
          {(option: ComboboxOption) => (
            <Kit.Item key={option.value} value={option} className={cx(popupItemClass, 'py-1')}>
              <span className="grid size-4 shrink-0 place-items-center text-accent">
                <Kit.ItemIndicator render={<Check aria-hidden className="size-4" />} />
              </span>
              <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3">
                <span className="max-w-full break-words">{option.label}</span>
                {option.alias}
              </span>
              {option.detail !== undefined && <span className="text-sm text-muted">{option.detail}</span>}
            </Kit.Item>
          )}
        </Kit.List>
      </Kit.Popup>
    </Kit.Positioner>
  </Kit.Portal>
);

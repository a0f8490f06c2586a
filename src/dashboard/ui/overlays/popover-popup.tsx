import { Popover as Kit } from '@base-ui/react/popover';
import type { ReactNode, RefObject } from 'react';
import { cx } from '../browser/cx.ts';
import { useIsNarrow } from '../browser/media-query.ts';
import { popupClass } from '../controls/popup-class.ts';

type Props = {
  isOpen: boolean;
  onClose: () => void;
  anchor: RefObject<HTMLElement | null>;
  align: 'start' | 'end';
  label: string;
  children: ReactNode;
};

const bottomOfWindow = {
  getBoundingClientRect: () => new DOMRect(0, window.innerHeight, document.documentElement.clientWidth, 0),
};

/** Below its button; on a phone at the bottom of the window, where the button leaves it too little room. */
export const PopoverPopup = ({ isOpen, onClose, anchor, align, label, children }: Props) => {
  const isNarrow = useIsNarrow();
  const place = isNarrow
    ? ({ anchor: bottomOfWindow, side: 'top', align: 'center', sideOffset: 8 } as const)
    : { anchor, align, sideOffset: 4 };
  return (
    <Kit.Root
      open={isOpen}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Kit.Portal>
        <Kit.Positioner {...place} className="z-40 outline-none">
          <Kit.Popup
            finalFocus={anchor}
            aria-label={label}
            // A form is in full view if the window has room; only lists are shorter.
            className={cx(popupClass, 'max-h-(--available-height)! p-3', isNarrow ? 'w-dvw' : 'w-72')}
          >
            {children}
          </Kit.Popup>
        </Kit.Positioner>
      </Kit.Portal>
    </Kit.Root>
  );
};

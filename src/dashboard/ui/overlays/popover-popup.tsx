import { Popover as Kit } from '@base-ui/react/popover';
import type { ReactNode, RefObject } from 'react';
import { cx } from '../browser/cx.ts';
import { popupClass } from '../controls/popup-class.ts';

type Props = {
  isOpen: boolean;
  onClose: () => void;
  anchor: RefObject<HTMLElement | null>;
  align: 'start' | 'end';
  label: string;
  children: ReactNode;
};

export const PopoverPopup = ({ isOpen, onClose, anchor, align, label, children }: Props) => (
  <Kit.Root
    open={isOpen}
    onOpenChange={(open) => {
      if (!open) onClose();
    }}
  >
    <Kit.Portal>
      <Kit.Positioner anchor={anchor} align={align} sideOffset={4} className="z-40 outline-none">
        <Kit.Popup finalFocus={anchor} aria-label={label} className={cx(popupClass, 'w-72 p-3')}>
          {children}
        </Kit.Popup>
      </Kit.Positioner>
    </Kit.Portal>
  </Kit.Root>
);

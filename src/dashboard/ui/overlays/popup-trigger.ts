import { useRef, useState } from 'react';
import type { ButtonVariant } from '../controls/button.tsx';

/** A button, or only its icon. */
export type TriggerAppearance = ButtonVariant | 'icon';

/** The button of a popup whose code loads on first use. The kit's own triggers would add its code to the first page. */
export const usePopupTrigger = (kind: 'menu' | 'dialog', onOpen?: (close: () => void) => void) => {
  const [isOpen, setIsOpen] = useState(false);
  const [wasOpened, setWasOpened] = useState(false);
  const anchor = useRef<HTMLButtonElement>(null);
  const wasOpenAtPress = useRef(false);

  const close = () => setIsOpen(false);
  const open = () => {
    setWasOpened(true);
    setIsOpen(true);
    onOpen?.(close);
  };
  return {
    isOpen,
    wasOpened,
    anchor,
    open,
    close,
    triggerProps: {
      ref: anchor,
      'aria-haspopup': kind,
      'aria-expanded': isOpen,
      // A press outside may close the popup before the click arrives, which must then not open it again.
      onPointerDown: () => {
        wasOpenAtPress.current = isOpen;
      },
      onClick: () => {
        if (isOpen) setIsOpen(false);
        else if (!wasOpenAtPress.current) open();
        wasOpenAtPress.current = false;
      },
      onKeyDown: (event: { key: string; preventDefault: () => void }) => {
        wasOpenAtPress.current = false;
        if (kind !== 'menu' || event.key !== 'ArrowDown') return;
        event.preventDefault();
        open();
      },
    },
  } as const;
};

import { useRef, useState } from 'react';

/**
 * The button that opens a popup whose code is loaded with its first use.
 * The kit's own triggers would pull all of it into the first page.
 */
export const usePopupTrigger = (kind: 'menu' | 'dialog') => {
  const [isOpen, setIsOpen] = useState(false);
  const [wasOpened, setWasOpened] = useState(false);
  const anchor = useRef<HTMLButtonElement>(null);
  const wasOpenAtPress = useRef(false);

  const open = () => {
    setWasOpened(true);
    setIsOpen(true);
  };
  return {
    isOpen,
    wasOpened,
    anchor,
    open,
    close: () => setIsOpen(false),
    triggerProps: {
      ref: anchor,
      'aria-haspopup': kind,
      'aria-expanded': isOpen,
      // The press outside closes the popup before the click arrives, which must then not open it again.
      onPointerDown: () => {
        wasOpenAtPress.current = isOpen;
      },
      onClick: () => {
        if (wasOpenAtPress.current) wasOpenAtPress.current = false;
        else open();
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

import { Suspense, type ReactNode } from 'react';
import { Button, IconButton } from '../controls/button.tsx';
import { lazyPopup } from './lazy-popup.tsx';
import { usePopupTrigger, type TriggerAppearance } from './popup-trigger.ts';

const PopoverPopup = lazyPopup(async () => (await import('./popover-popup.tsx')).PopoverPopup);

type Props = {
  label: string;
  icon?: ReactNode;
  appearance?: TriggerAppearance;
  align?: 'start' | 'end';
  className?: string;
  /** What the button shows instead of its label. */
  content?: ReactNode;
  /** Called when it opens, while its code may still load. */
  onOpen?: (close: () => void) => void;
  /** The content; receives a function that closes the panel. */
  children: (close: () => void) => ReactNode;
};

/** A button with a small panel, whose code loads on first use. */
export const Popover = ({
  label,
  icon,
  appearance = 'secondary',
  align = 'start',
  className,
  content,
  onOpen,
  children,
}: Props) => {
  const { isOpen, wasOpened, anchor, close, triggerProps } = usePopupTrigger('dialog', onOpen);
  return (
    <>
      {appearance === 'icon' ? (
        <IconButton {...triggerProps} label={label} icon={icon} className={className} />
      ) : (
        <Button {...triggerProps} variant={appearance} icon={icon} className={className ?? ''}>
          {content ?? label}
        </Button>
      )}
      {wasOpened && (
        <Suspense>
          <PopoverPopup isOpen={isOpen} onClose={close} anchor={anchor} align={align} label={label}>
            {children(close)}
          </PopoverPopup>
        </Suspense>
      )}
    </>
  );
};

import { lazy, Suspense, type ReactNode } from 'react';
import { Button, type ButtonVariant, IconButton } from '../controls/button.tsx';
import type { MenuItem } from './menu-popup.tsx';
import { usePopupTrigger } from './popup-trigger.ts';

const MenuPopup = lazy(async () => ({ default: (await import('./menu-popup.tsx')).MenuPopup }));

type Props = {
  /** The name of the button; shown unless there is only an icon. */
  label: string;
  icon?: ReactNode;
  variant?: ButtonVariant;
  isIconOnly?: boolean;
  items: readonly MenuItem[];
  align?: 'start' | 'end';
  side?: 'bottom' | 'top' | 'right';
  className?: string;
  children?: ReactNode;
};

/** A button with a menu, whose code loads on first use. */
export const Menu = ({
  label,
  icon,
  variant,
  isIconOnly = false,
  items,
  align = 'end',
  side,
  className,
  children,
}: Props) => {
  const { isOpen, wasOpened, anchor, close, triggerProps } = usePopupTrigger('menu');
  return (
    <>
      {isIconOnly ? (
        <IconButton {...triggerProps} label={label} icon={icon} className={className} />
      ) : (
        <Button
          {...triggerProps}
          {...(children !== undefined && { 'aria-label': label })}
          {...(variant !== undefined && { variant })}
          icon={icon}
          className={className ?? ''}
        >
          {children ?? label}
        </Button>
      )}
      {wasOpened && (
        <Suspense>
          <MenuPopup
            isOpen={isOpen}
            onClose={close}
            anchor={anchor}
            items={items}
            align={align}
            side={side ?? 'bottom'}
            label={label}
          />
        </Suspense>
      )}
    </>
  );
};

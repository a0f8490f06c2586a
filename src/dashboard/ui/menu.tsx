import { lazy, Suspense, type ReactNode } from 'react';
import { Button, type ButtonLook } from './button.tsx';
import { IconButton } from './icon-button.tsx';
import { usePopupTrigger } from './popup-trigger.ts';

const MenuPopup = lazy(async () => ({ default: (await import('./menu-popup.tsx')).MenuPopup }));

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
  /** The name of the button; shown unless there is only an icon. */
  label: string;
  icon?: ReactNode;
  look?: ButtonLook;
  isIconOnly?: boolean;
  items: readonly MenuItem[];
  align?: 'start' | 'end';
  side?: 'bottom' | 'top' | 'right';
  className?: string;
  children?: ReactNode;
};

/** A button with a menu. The menu's code comes with its first use. */
export const Menu = ({
  label,
  icon,
  look,
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
          {...(look !== undefined && { look })}
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

import { Suspense, type ReactNode } from 'react';
import { Button, IconButton } from '../controls/button.tsx';
import { lazyPopup } from './lazy-popup.tsx';
import type { MenuItem } from './menu-popup.tsx';
import { usePopupTrigger, type TriggerAppearance } from './popup-trigger.ts';

const MenuPopup = lazyPopup(async () => (await import('./menu-popup.tsx')).MenuPopup);

type Props = {
  /** The name of the button; shown unless there is only an icon. */
  label: string;
  icon?: ReactNode;
  appearance?: TriggerAppearance;
  items: readonly MenuItem[];
  placement?: keyof typeof placements;
  className?: string;
  children?: ReactNode;
};

const placements = {
  'bottom-start': { side: 'bottom', align: 'start' },
  'bottom-end': { side: 'bottom', align: 'end' },
  'top-end': { side: 'top', align: 'end' },
} as const;

/** A button with a menu, whose code loads on first use. */
export const Menu = ({
  label,
  icon,
  appearance = 'secondary',
  items,
  placement = 'bottom-end',
  className,
  children,
}: Props) => {
  const { isOpen, wasOpened, anchor, close, triggerProps } = usePopupTrigger('menu');
  return (
    <>
      {appearance === 'icon' ? (
        <IconButton {...triggerProps} label={label} icon={icon} className={className} />
      ) : (
        <Button
          {...triggerProps}
          {...(children !== undefined && { 'aria-label': label })}
          variant={appearance}
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
            {...placements[placement]}
            label={label}
          />
        </Suspense>
      )}
    </>
  );
};

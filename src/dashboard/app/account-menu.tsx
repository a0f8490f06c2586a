import { useQuery } from '@tanstack/react-query';
import { CircleUserRound } from 'lucide-react';
import { Suspense } from 'react';
import { sessionQueries } from '../api/session-queries.ts';
import { Button, IconButton } from '../ui/controls/button.tsx';
import { lazyPopup } from '../ui/overlays/lazy-popup.tsx';
import { usePopupTrigger } from '../ui/overlays/popup-trigger.ts';

const AccountPopup = lazyPopup(async () => (await import('./account-popup.tsx')).AccountPopup);

type Props = { isCompact: boolean; onShortcuts: () => void; side?: 'top' | 'bottom' | 'right' };

/** Opens the menu of the session. */
export const AccountMenu = ({ isCompact, onShortcuts, side = 'top' }: Props) => {
  // Its memoised form is larger, and it is part of every page.
  'use no memo';
  const { data: who } = useQuery(sessionQueries.who());
  const { isOpen, wasOpened, anchor, close, triggerProps } = usePopupTrigger('menu');
  const name = who?.label ?? who?.key?.name ?? 'Signed in';
  const icon = <CircleUserRound aria-hidden className="size-4 shrink-0" />;
  return (
    <>
      {isCompact ? (
        <IconButton {...triggerProps} label={`Account: ${name}`} icon={icon} />
      ) : (
        <Button
          {...triggerProps}
          aria-label={`Account: ${name}`}
          variant="quiet"
          icon={icon}
          className="w-full justify-start! gap-2.5! px-2! text-muted"
        >
          <span className="truncate">{name}</span>
        </Button>
      )}
      {wasOpened && (
        <Suspense>
          <AccountPopup
            name={name}
            onShortcuts={onShortcuts}
            isOpen={isOpen}
            onClose={close}
            anchor={anchor}
            side={side}
            align={isCompact ? 'end' : 'start'}
          />
        </Suspense>
      )}
    </>
  );
};

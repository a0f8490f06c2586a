import { useQuery } from '@tanstack/react-query';
import { CircleUserRound, Keyboard, LogOut, PenLine } from 'lucide-react';
import { lazy } from 'react';
import type { Who } from '#contract/sessions.ts';
import { sessionQueries } from '../api/session-queries.ts';
import { signOut } from '../api/sign-in.ts';
import { useDialog } from '../kit/confirm/use-dialog.ts';
import { Optional } from '../ui/browser/optional.tsx';
import { localTimeZone, timeZoneChoice } from '../ui/format/format-time.ts';
import { Menu } from '../ui/overlays/menu.tsx';
import type { MenuItem } from '../ui/overlays/menu-popup.tsx';
import { themeChoice } from '../ui/browser/theme.ts';
import { describeScopes } from '../resources/access/describe-scopes.ts';
import { useStoredChoice } from '../ui/browser/stored-choice.ts';

const SessionNameDialog = lazy(async () => ({
  default: (await import('./session-name-form.tsx')).SessionNameDialog,
}));

type Props = {
  isCompact: boolean;
  onShortcuts: () => void;
  side?: 'top' | 'bottom' | 'right';
};

/** The session and its scopes, display settings, and sign-out. */
export const AccountMenu = ({ isCompact, onShortcuts, side = 'top' }: Props) => {
  const { data: who } = useQuery(sessionQueries.who());
  const theme = useStoredChoice(themeChoice);
  const zone = useStoredChoice(timeZoneChoice);
  const naming = useDialog<Who>();
  const name = who?.label ?? who?.key?.name ?? 'Signed in';
  const items: MenuItem[] = [
    {
      heading: (
        <span className="block max-w-56">
          <span className="block font-medium break-words text-ink">{name}</span>
          {who !== undefined && <span className="block">{describeScopes(who.scopes, who.devices)}</span>}
        </span>
      ),
    },
    'separator',
    {
      label: 'Theme',
      value: theme,
      choices: [
        { value: 'system', label: 'System' },
        { value: 'light', label: 'Light' },
        { value: 'dark', label: 'Dark' },
      ],
      onChoose: (value) => themeChoice.set(value as typeof theme),
    },
    {
      label: 'Time zone',
      value: zone,
      choices: [
        { value: 'local', label: localTimeZone === 'UTC' ? 'Local (UTC)' : `Local (${localTimeZone})` },
        { value: 'utc', label: 'UTC' },
      ],
      onChoose: (value) => timeZoneChoice.set(value as typeof zone),
    },
    'separator',
    ...(who?.kind === 'session'
      ? [{ label: 'Name this session…', icon: <PenLine aria-hidden />, onSelect: () => naming.open(who) }]
      : []),
    { label: 'Keyboard shortcuts', icon: <Keyboard aria-hidden />, shortcut: '?', onSelect: onShortcuts },
    { label: 'Sign out', icon: <LogOut aria-hidden />, onSelect: () => void signOut() },
  ];
  const icon = <CircleUserRound aria-hidden className="size-4 shrink-0" />;
  const menu = isCompact ? (
    <Menu label={`Account: ${name}`} icon={icon} isIconOnly items={items} side={side} align="end" />
  ) : (
    <Menu
      label={`Account: ${name}`}
      variant="quiet"
      icon={icon}
      items={items}
      side={side}
      align="start"
      className="w-full justify-start! gap-2.5! px-2! text-muted"
    >
      <span className="truncate">{name}</span>
    </Menu>
  );
  return (
    <>
      {menu}
      <Optional>{naming.subject && <SessionNameDialog who={naming.subject} state={naming.state} />}</Optional>
    </>
  );
};

import { useQuery } from '@tanstack/react-query';
import { Keyboard, LogOut, PenLine } from 'lucide-react';
import { Suspense, type ComponentProps } from 'react';
import type { Who } from '#contract/sessions.ts';
import { sessionQueries } from '../api/session-queries.ts';
import { signOut } from '../api/sign-in.ts';
import { useDialog } from '../kit/confirm/use-dialog.ts';
import { describeScopes } from '../resources/access/describe-scopes.ts';
import { useStoredChoice } from '../ui/browser/stored-choice.ts';
import { themeChoice, themes } from '../ui/browser/theme.ts';
import { timeZoneChoice } from '../ui/format/format-time.ts';
import { localTimeZone } from '../ui/format/local-time-zone.ts';
import { MenuPopup, type MenuItem } from '../ui/overlays/menu-popup.tsx';
import { lazyDialog } from '../ui/overlays/lazy-popup.tsx';

const SessionNameDialog = lazyDialog(async () => (await import('./session-name-form.tsx')).SessionNameDialog);

type Props = {
  /** Who is signed in. */
  name: string;
  onShortcuts: () => void;
} & Omit<ComponentProps<typeof MenuPopup>, 'items' | 'label'>;

/** The session and its scopes, display settings, and sign-out. */
export const AccountPopup = ({ name, onShortcuts, ...popup }: Props) => {
  const { data: who } = useQuery(sessionQueries.who());
  const theme = useStoredChoice(themeChoice);
  const zone = useStoredChoice(timeZoneChoice);
  const naming = useDialog<Who>();
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
      choices: themes,
      onChoose: (value) => themeChoice.set(value as typeof theme),
    },
    {
      label: 'Time zone',
      value: zone,
      choices: [
        { value: 'local', label: `Local (${localTimeZone()})` },
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
  return (
    <>
      <MenuPopup {...popup} items={items} label={`Account: ${name}`} />
      <Suspense>{naming.subject && <SessionNameDialog who={naming.subject} state={naming.state} />}</Suspense>
    </>
  );
};

import { Search } from 'lucide-react';
import { Link } from 'react-router-dom';
import { paths } from '../paths.ts';
import { IconButton } from '../ui/controls/icon-button.tsx';
import { AccountMenu } from './account-menu.tsx';
import { MAX_IN_BAR, useMayReach } from './navigation.ts';
import { ConnectionLight } from './connection-light.tsx';
import { Mark } from '../ui/layout/mark.tsx';

/** On a phone: the mark, the light, the palette, and the account with the pages that the bottom bar has no room for. */
export const TopBar = ({ onPalette, onShortcuts }: { onPalette: () => void; onShortcuts: () => void }) => {
  const rest = useMayReach().slice(MAX_IN_BAR);
  return (
    <header className="flex h-13 items-center gap-1 border-b border-hairline bg-surface pr-2 pl-4">
      <Link
        to={paths.overview}
        className="mr-auto flex items-center gap-2.5 rounded-sm text-lg font-semibold"
      >
        <Mark className="size-6" />
        Penstock
      </Link>
      <ConnectionLight hasAge={false} />
      <IconButton label="Find a device or a page" icon={<Search />} onClick={onPalette} />
      <AccountMenu
        isCompact
        side="bottom"
        onShortcuts={onShortcuts}
        extra={rest.map(({ label, to, icon: Icon }) => ({ label, to, icon: <Icon aria-hidden /> }))}
      />
    </header>
  );
};

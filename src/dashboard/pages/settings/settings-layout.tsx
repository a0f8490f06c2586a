import { ChevronsUpDown } from 'lucide-react';
import { NavLink, Outlet, useLocation } from 'react-router-dom';
import { settingsSections } from './settings-sections.ts';
import { cx } from '../../ui/browser/cx.ts';
import { useIsNarrow } from '../../ui/browser/media-query.ts';
import { Menu } from '../../ui/overlays/menu.tsx';

/** The sections of the settings beside the open one; a menu on a phone. */
export const SettingsLayout = () => {
  const isNarrow = useIsNarrow();
  return (
    <>
      <nav aria-label="Settings" className="mb-5">
        {isNarrow ? <SectionMenu /> : <SectionLinks />}
      </nav>
      <Outlet />
    </>
  );
};

const SectionLinks = () => (
  <ul className="flex flex-wrap gap-x-4 border-b border-hairline lg:gap-x-6">
    {settingsSections.map(({ label, to }) => (
      <li key={to}>
        <NavLink
          to={to}
          className={({ isActive }) =>
            cx(
              '-mb-px flex h-9 tab-underline items-center rounded-t-sm font-medium touch:h-11',
              isActive ? 'text-ink' : 'text-muted hover:text-ink',
            )
          }
        >
          {label}
        </NavLink>
      </li>
    ))}
  </ul>
);

const SectionMenu = () => {
  const { pathname } = useLocation();
  const current = settingsSections.find(({ to }) => pathname === to || pathname.startsWith(`${to}/`));
  return (
    <Menu
      label={`Settings: ${current?.label ?? 'choose a section'}`}
      placement="bottom-start"
      items={settingsSections.map(({ label, to }) => ({ label, to }))}
      className="w-full justify-between!"
    >
      <span className="truncate">
        <span className="font-normal text-muted">Settings: </span>
        {current?.label}
      </span>
      <ChevronsUpDown aria-hidden className="size-4 text-muted" />
    </Menu>
  );
};

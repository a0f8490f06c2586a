import type { ReactNode } from 'react';

export const Kbd = ({ children }: { children: ReactNode }) => (
  <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded-sm border border-hairline bg-sunken px-1 font-sans text-xs text-muted">
    {children}
  </kbd>
);

/** What the platform calls the key of `Ctrl/Cmd`. */
export const modKey = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';

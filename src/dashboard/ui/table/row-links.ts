import type { MouseEvent } from 'react';
import { useHref, useNavigate } from 'react-router-dom';

/** Follows the links of rows. Clicks of other buttons are left to the browser. */
export const useRowLinks = () => {
  const navigate = useNavigate();
  const base = useHref('/');
  return {
    /** A path below the base path, or a query for this page. */
    hrefOf: (path: string) => (path.startsWith('/') && base !== '/' ? `${base}${path}` : path),
    onClick: (event: MouseEvent) => {
      const target = event.target as Element;
      // A click on text that can be selected is one on the link behind it, unless it ends a selection.
      if (target.closest('[data-row-text]') !== null && getSelection()?.isCollapsed !== false) {
        const link = target.closest('[role=row]')?.querySelector('[data-row-link]');
        link?.dispatchEvent(new window.MouseEvent('click', event.nativeEvent));
        return;
      }
      const link = target.closest<HTMLElement>('[data-row-link]');
      const isPlain = !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
      if (link === null || event.button !== 0 || !isPlain) return;
      event.preventDefault();
      void navigate(link.dataset['rowLink'] ?? '');
    },
  };
};

import type { MouseEvent } from 'react';
import { useHref, useLocation, useNavigate } from 'react-router-dom';

/** The link behind text of a row that can be selected. */
const linkBehind = (target: Element) =>
  target
    .closest('[data-row-text]')
    ?.closest('[role=row]')
    ?.querySelector<HTMLAnchorElement>('[data-row-link]');

/** Follows the links of rows and passes on the address of the list (`useListPath`). Clicks of other buttons on a link are left to the browser. */
export const useRowLinks = () => {
  const navigate = useNavigate();
  const base = useHref('/');
  const { pathname } = useLocation();
  return {
    /** A path below the base path, or a query for this page. */
    hrefOf: (path: string) => (path.startsWith('/') && base !== '/' ? `${base}${path}` : path),
    onClick: (event: MouseEvent) => {
      const target = event.target as Element;
      // A click on text that can be selected is one on the link behind it, unless it ends a selection.
      const behind = linkBehind(target);
      if (behind != null && getSelection()?.isCollapsed !== false) {
        behind.dispatchEvent(new window.MouseEvent('click', event.nativeEvent));
        return;
      }
      const link = target.closest<HTMLElement>('[data-row-link]');
      const isPlain = !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
      if (link === null || event.button !== 0 || !isPlain) return;
      event.preventDefault();
      // Read here: what was just typed is not rendered yet.
      const list = pathname + window.location.search;
      void navigate(link.dataset['rowLink'] ?? '', { state: { list } });
    },
    onAuxClick: ({ button, target }: MouseEvent) => {
      const behind = linkBehind(target as Element);
      if (button === 1 && behind != null) window.open(behind.href);
    },
  };
};

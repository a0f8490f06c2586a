import type { ReactElement } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';

export type Rendered = { container: HTMLElement; unmount: () => void };

const rendered = new Set<Rendered>();

/** Renders into the document until `unmount` or `unmountAll`. */
export const render = (element: ReactElement): Rendered => {
  const container = document.body.appendChild(document.createElement('div'));
  const root = createRoot(container);
  const page: Rendered = {
    container,
    unmount: () => {
      if (!rendered.delete(page)) return;
      flushSync(() => root.unmount());
      container.remove();
    },
  };
  rendered.add(page);
  flushSync(() => root.render(element));
  return page;
};

export const unmountAll = (): void => {
  for (const page of rendered) page.unmount();
};

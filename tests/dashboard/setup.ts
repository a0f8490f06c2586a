import { cleanup, configure } from '@testing-library/react';
import { unstable_IdlePriority, unstable_scheduleCallback } from 'scheduler';
import { afterEach, beforeEach, vi } from 'vitest';
import { receiveToasts } from '#dashboard/ui/feedback/toast.ts';

afterEach(cleanup);
// Toasts that waited for their viewport at the end of a test would be on the page of the next.
beforeEach(() => receiveToasts({ show: () => undefined, close: () => undefined })());

/** Resolves when React has rendered all changes so far, also those of a navigation. */
const whenRendered = () =>
  new Promise<void>((resolve) => {
    unstable_scheduleCallback(unstable_IdlePriority, () => resolve());
  });

configure({
  // After each action of a user, and each wait.
  asyncWrapper: async (work) => {
    const result = await work();
    await whenRendered();
    return result;
  },
  // A page, its service and its database share one core with other tests.
  asyncUtilTimeout: 40_000,
  // The text of the page instead of its whole document, in which the missing element would be hard to see.
  getElementError: (message, container) => new Error(`${message}\nOn the page: ${container.textContent}`),
});

// jsdom has no layout: what follows replaces only what a browser measures, never parts of the product.
const WIDTH_PX = 1_280;

vi.stubGlobal('matchMedia', (query: string) => {
  const [, atLeast = '', below = ''] = /width (?:>= ([\d.]+)rem|< ([\d.]+)rem)/.exec(query) ?? [];
  const widthRem = WIDTH_PX / 16;
  const matches =
    atLeast !== '' ? widthRem >= Number(atLeast) : below !== '' ? widthRem < Number(below) : false;
  return { matches, media: query, addEventListener: () => undefined, removeEventListener: () => undefined };
});

/** Reports once that an element is as wide as the window, as browsers do when they begin to observe it. */
class WindowWideObserver implements ResizeObserver {
  readonly #callback: ResizeObserverCallback;
  constructor(callback: ResizeObserverCallback) {
    this.#callback = callback;
  }
  observe(target: Element) {
    const contentRect = { width: WIDTH_PX, height: 720 } as DOMRectReadOnly;
    // Browsers call back with the next frame, never within the call.
    queueMicrotask(() => this.#callback([{ target, contentRect } as ResizeObserverEntry], this));
  }
  unobserve() {}
  disconnect() {}
}
vi.stubGlobal('ResizeObserver', WindowWideObserver);

// The document is tall enough to scroll, although its elements have no height.
Object.defineProperty(document.documentElement, 'scrollHeight', { get: () => 1_000_000, configurable: true });
vi.stubGlobal('scrollTo', (target: number | ScrollToOptions, y = 0) => {
  const top = typeof target === 'number' ? y : (target.top ?? 0);
  for (const name of ['scrollY', 'pageYOffset'])
    Object.defineProperty(window, name, { value: top, configurable: true });
  // Browsers dispatch the event with the next frame, never within the call.
  queueMicrotask(() => window.dispatchEvent(new Event('scroll')));
});
Element.prototype.scrollIntoView ??= () => undefined;

// No element has a position, so none is on screen: charts have axes and legends, but draw nothing.
class NowhereObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}
vi.stubGlobal('IntersectionObserver', NowhereObserver);

// The service runs in this process and needs the typed arrays of Node, which differ from those of jsdom.
vi.stubGlobal('Uint8Array', Object.getPrototypeOf(Buffer));
vi.stubGlobal('Float64Array', structuredClone(new Float64Array()).constructor);

// Every element is at the top of the document, and moves up as the window scrolls down.
Element.prototype.getBoundingClientRect = () => new DOMRect(0, -window.scrollY, WIDTH_PX, 0);

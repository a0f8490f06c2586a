import { cleanup, configure } from '@testing-library/react';
import { afterEach, beforeEach, vi } from 'vitest';
import { receiveToasts } from '#dashboard/ui/feedback/toast.ts';

afterEach(cleanup);
// Toasts that waited for their viewport at the end of a test would be on the page of the next.
beforeEach(() => receiveToasts(() => undefined)());

configure({
  // A page, its service and its database share one core with other tests.
  asyncUtilTimeout: 20_000,
  // What is on the page as text: the whole document would hide what was asked for.
  getElementError: (message, container) => new Error(`${message}\nOn the page: ${container.textContent}`),
});

// What jsdom has no layout for. Nothing here answers in place of the product.
const WIDTH_PX = 1_280;

vi.stubGlobal('matchMedia', (query: string) => {
  const [, atLeast = '', below = ''] = /width (?:>= ([\d.]+)rem|< ([\d.]+)rem)/.exec(query) ?? [];
  const widthRem = WIDTH_PX / 16;
  const matches =
    atLeast !== '' ? widthRem >= Number(atLeast) : below !== '' ? widthRem < Number(below) : false;
  return { matches, media: query, addEventListener: () => undefined, removeEventListener: () => undefined };
});

/** Tells once that an element is as wide as the window, as the browser's does when it begins to observe. */
class WindowWideObserver implements ResizeObserver {
  readonly #callback: ResizeObserverCallback;
  constructor(callback: ResizeObserverCallback) {
    this.#callback = callback;
  }
  observe(target: Element) {
    const contentRect = { width: WIDTH_PX, height: 720 } as DOMRectReadOnly;
    this.#callback([{ target, contentRect } as ResizeObserverEntry], this);
  }
  unobserve() {}
  disconnect() {}
}
vi.stubGlobal('ResizeObserver', WindowWideObserver);

// The window scrolls, though nothing has a height.
Object.defineProperty(document.documentElement, 'scrollHeight', { get: () => 1_000_000, configurable: true });
vi.stubGlobal('scrollTo', (target: number | ScrollToOptions, y = 0) => {
  const top = typeof target === 'number' ? y : (target.top ?? 0);
  for (const name of ['scrollY', 'pageYOffset'])
    Object.defineProperty(window, name, { value: top, configurable: true });
  // In a browser, the event follows with the next frame: never within the call.
  queueMicrotask(() => window.dispatchEvent(new Event('scroll')));
});
Element.prototype.scrollIntoView ??= () => undefined;

// Nothing has a place, so nothing is on screen: charts have their axes and keys, and draw nothing.
class NowhereObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}
vi.stubGlobal('IntersectionObserver', NowhereObserver);

// The service runs in this process, on Node's own bytes and columns: those of jsdom are others.
vi.stubGlobal('Uint8Array', Object.getPrototypeOf(Buffer));
vi.stubGlobal('Float64Array', structuredClone(new Float64Array()).constructor);

// Everything stands at the top of the document, and goes up as the window scrolls down.
Element.prototype.getBoundingClientRect = () => new DOMRect(0, -window.scrollY, WIDTH_PX, 0);

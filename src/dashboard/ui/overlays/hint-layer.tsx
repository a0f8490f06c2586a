import { useEffect, useState } from 'react';
import { createPortal } from 'react-dom';

const HOVER_DELAY_MS = 350;
const GAP_PX = 6;
const EDGE_PX = 8;
const ID = 'hint';

type Shown = { text: string; target: HTMLElement };

const isCut = (element: Element | null): boolean =>
  element !== null &&
  (element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight);

/** `data-hint-if-cut`: the text itself, where an ellipsis cuts it or its first part. */
const textOf = (element: HTMLElement): string =>
  element.dataset['hint'] ?? (isCut(element) || isCut(element.firstElementChild) ? element.textContent : '');

const hintOf = (target: EventTarget | null): Shown | null => {
  const element =
    target instanceof Element ? target.closest<HTMLElement>('[data-hint], [data-hint-if-cut]') : null;
  const text = element === null ? '' : textOf(element);
  return element === null || text === '' ? null : { text, target: element };
};

const place = (hint: HTMLElement, target: HTMLElement) => {
  const anchor = target.getBoundingClientRect();
  const { width, height } = hint.getBoundingClientRect();
  const left = Math.min(
    Math.max(EDGE_PX, anchor.left + anchor.width / 2 - width / 2),
    Math.max(EDGE_PX, document.documentElement.clientWidth - width - EDGE_PX),
  );
  const above = anchor.top - height - GAP_PX;
  hint.style.left = `${left}px`;
  hint.style.top = `${above >= EDGE_PX ? above : anchor.bottom + GAP_PX}px`;
};

/**
 * The only tooltip of the page: shows the text of `data-hint="…"` on hover, focus and tap. One listener serves a table
 * of thousands of cells, where a component per cell would slow scrolling.
 */
export const HintLayer = () => {
  const [shown, setShown] = useState<Shown | null>(null);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (hint: Shown | null, delayMs: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => setShown(hint), delayMs);
    };
    const onOver = (event: PointerEvent) => {
      if (event.pointerType !== 'mouse') return;
      const overHint = event.target instanceof Element && event.target.id === ID;
      if (overHint) clearTimeout(timer);
      else show(hintOf(event.target), HOVER_DELAY_MS);
    };
    const onFocus = (event: FocusEvent) => {
      const hint = hintOf(event.target);
      if (hint?.target.matches(':focus-visible') === true) show(hint, 0);
    };
    const onDown = (event: PointerEvent) => {
      const hint = hintOf(event.target);
      // A tap on a control activates it; on text it shows the hint.
      const isPlain = hint !== null && hint.target.closest('button, a') === null;
      show(event.pointerType !== 'mouse' && isPlain ? hint : null, 0);
    };
    const hide = () => show(null, 0);
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') hide();
    };
    document.addEventListener('pointerover', onOver);
    document.addEventListener('focusin', onFocus);
    document.addEventListener('focusout', hide);
    document.addEventListener('pointerdown', onDown);
    document.addEventListener('keydown', onKey);
    window.addEventListener('scroll', hide, { capture: true, passive: true });
    return () => {
      clearTimeout(timer);
      document.removeEventListener('pointerover', onOver);
      document.removeEventListener('focusin', onFocus);
      document.removeEventListener('focusout', hide);
      document.removeEventListener('pointerdown', onDown);
      document.removeEventListener('keydown', onKey);
      window.removeEventListener('scroll', hide, { capture: true });
    };
  }, []);

  useEffect(() => {
    if (shown === null) return undefined;
    const { target, text } = shown;
    // An icon button's hint repeats its name, so screen readers skip it.
    if (target.getAttribute('aria-label') === text || target.hasAttribute('aria-describedby'))
      return undefined;
    target.setAttribute('aria-describedby', ID);
    return () => target.removeAttribute('aria-describedby');
  }, [shown]);

  if (shown === null) return null;
  return createPortal(
    <div
      id={ID}
      role="tooltip"
      ref={(hint) => {
        if (hint !== null) place(hint, shown.target);
      }}
      className="fixed top-0 left-0 z-50 max-w-80 rounded-sm wrap-anywhere bg-ink px-2 py-1 text-sm text-canvas forced-colors:border"
    >
      {shown.text}
    </div>,
    document.body,
  );
};

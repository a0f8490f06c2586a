export type TypeAhead = { text: string; hasEnter: boolean };

const NOTHING: TypeAhead = { text: '', hasEnter: false };
let stop = () => NOTHING;

/** Ends the collection and returns what was typed. */
export const takeTyped = (): TypeAhead => stop();

/**
 * Collects the keys that are pressed until an overlay, whose code may still load, takes the focus. A press of the pointer
 * and any other move of the focus discard them; so does Escape, which closes the overlay.
 */
export const collectTyped = (onEscape: () => void) => {
  stop();
  const typed = { ...NOTHING };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event;
    if (key === 'Escape') {
      stop();
      onEscape();
    } else if (key === 'Enter') {
      typed.hasEnter = true;
    } else if (!typed.hasEnter && key === 'Backspace') {
      typed.text = typed.text.slice(0, -1);
    } else if (key.length > 1 || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    } else if (!typed.hasEnter) {
      typed.text += key;
    }
    // The page behind would act on the key.
    event.preventDefault();
    event.stopPropagation();
  };
  const ends = new AbortController();
  const { signal } = ends;
  stop = () => {
    ends.abort();
    stop = () => NOTHING;
    return typed;
  };
  window.addEventListener('keydown', onKeyDown, { capture: true, signal });
  window.addEventListener('focusin', takeTyped, { signal });
  window.addEventListener('pointerdown', takeTyped, { signal });
};

import { createListeners } from '../../ui/browser/listeners.ts';

interface CursorPosition {
  /** Epoch ms. */
  timeMs: number;
  /** The chart under the pointer or with the focus. */
  origin: symbol;
}

export type CursorListener = (position: CursorPosition | null) => void;

export interface Cursor {
  moveTo(timeMs: number, origin: symbol): void;
  /** Ends the hover, unless another chart has taken it over. */
  leave(origin: symbol): void;
  position(): CursorPosition | null;
  subscribe(listener: CursorListener): () => void;
}

/** The time under the pointer. Listeners are notified at most once a frame. */
export function createCursor(schedule: (run: () => void) => void): Cursor {
  const { subscribe, notify } = createListeners<[CursorPosition | null]>();
  let position: CursorPosition | null = null;
  let isScheduled = false;

  function notifySoon(): void {
    if (isScheduled) return;
    isScheduled = true;
    schedule(() => {
      isScheduled = false;
      notify(position);
    });
  }

  return {
    moveTo(timeMs, origin) {
      if (position?.timeMs === timeMs && position.origin === origin) return;
      position = { timeMs, origin };
      notifySoon();
    },
    leave(origin) {
      if (position?.origin !== origin) return;
      position = null;
      notifySoon();
    },
    position: () => position,
    subscribe,
  };
}

/** All charts of the page share this one. */
export const pageCursor = createCursor((run) => requestAnimationFrame(run));

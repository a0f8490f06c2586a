const waiting = new Set<() => void>();
let isRequested = false;

/** Runs each of the functions asked for once in the next frame, so that many samples cost one drawing. */
export function requestDraw(draw: () => void): void {
  waiting.add(draw);
  if (isRequested) return;
  isRequested = true;
  requestAnimationFrame(() => {
    isRequested = false;
    const due = [...waiting];
    waiting.clear();
    for (const run of due) run();
  });
}

export const cancelDraw = (draw: () => void): boolean => waiting.delete(draw);

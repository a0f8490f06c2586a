const updates = new Set<() => void>();
const draws = new Set<() => void>();
const renders = new Set<() => void>();
let isRequested = false;

function request(): void {
  if (isRequested) return;
  isRequested = true;
  requestAnimationFrame(runFrame);
}

function runFrame(): void {
  try {
    runAll(updates);
    // Also those that an update has requested.
    runAll(draws);
    const [render] = renders;
    if (render !== undefined) {
      renders.delete(render);
      render();
    }
  } finally {
    isRequested = false;
    if (updates.size + draws.size + renders.size > 0) request();
  }
}

function runAll(waiting: Set<() => void>): void {
  const due = [...waiting];
  waiting.clear();
  for (const run of due) run();
}

/** Runs each requested function once in the next frame, before anything is drawn in it. */
export function requestUpdate(update: () => void): void {
  updates.add(update);
  request();
}

export const cancelUpdate = (update: () => void): boolean => updates.delete(update);

/** Runs each requested function once in the next frame, so that many samples cost one drawing. */
export function requestDraw(draw: () => void): void {
  draws.add(draw);
  request();
}

export const cancelDraw = (draw: () => void): boolean => draws.delete(draw);

/**
 * For functions that make React render axes: one runs per frame, so that many charts whose windows move together cause
 * no long task.
 */
export function requestRender(render: () => void): void {
  renders.add(render);
  request();
}

export const cancelRender = (render: () => void): boolean => renders.delete(render);

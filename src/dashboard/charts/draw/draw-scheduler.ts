const draws = new Set<() => void>();
const renders = new Set<() => void>();
let isRequested = false;

function request(): void {
  if (isRequested) return;
  isRequested = true;
  requestAnimationFrame(runFrame);
}

function runFrame(): void {
  isRequested = false;
  const due = [...draws];
  draws.clear();
  for (const draw of due) draw();
  const [render] = renders;
  if (render === undefined) return;
  renders.delete(render);
  render();
  if (renders.size > 0) request();
}

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

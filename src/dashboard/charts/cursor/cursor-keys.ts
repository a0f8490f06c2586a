import type { PlotModel } from '../draw/plot-model.ts';
import type { TimeSpan } from '../series/time-span.ts';
import { zoomedIn, zoomedOut } from './drag-zoom.ts';

const BIG_STEP = 10;

/** The time to which a key moves the cursor from `current`. Undefined: another key. */
export function movedBy(
  { key, shiftKey }: { key: string; shiftKey: boolean },
  current: number | undefined,
  span: TimeSpan,
  model: PlotModel,
): number | undefined {
  const size = shiftKey ? BIG_STEP : 1;
  const first = () => model.step(span.fromMs - 1, 1);
  const last = () => model.step(span.toMs + 1, -1);
  switch (key) {
    case 'ArrowLeft':
      return current === undefined ? last() : model.step(current, -size);
    case 'ArrowRight':
      return current === undefined ? first() : model.step(current, size);
    case 'Home':
      return first();
    case 'End':
      return last();
    default:
      return undefined;
  }
}

/** The span to which a key zooms around the cursor, or around the middle. Undefined: another key. */
export function zoomedBy(key: string, current: number | undefined, span: TimeSpan): TimeSpan | undefined {
  const middle = current ?? (span.fromMs + span.toMs) / 2;
  if (key === '+' || key === '=' || key === 'Enter') return zoomedIn(span, middle);
  return key === '-' ? zoomedOut(span, middle) : undefined;
}

import type { PlotGeometry } from './plot-geometry.ts';
import type { ColourSlot } from '../series/series.ts';

/** What the canvas and the cursor of a plot share outside React. */
export class PlotHandle {
  geometry: PlotGeometry | undefined = undefined;
  /** As the theme at hand has them: asking for one makes the browser reckon styles. */
  readonly colours = new Map<ColourSlot, string>();
  readonly #listeners = new Set<() => void>();

  drawn(geometry: PlotGeometry): void {
    this.geometry = geometry;
    for (const listener of this.#listeners) listener();
  }

  /** Told after each drawing. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

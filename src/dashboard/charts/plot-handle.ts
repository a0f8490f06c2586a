import type { PlotGeometry } from './plot-geometry.ts';

/** Through which the canvas tells the cursor where the axes stand, outside React. */
export class PlotHandle {
  geometry: PlotGeometry | undefined = undefined;
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

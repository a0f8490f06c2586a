/** Epoch ms. */
export interface TimeSpan {
  fromMs: number;
  toMs: number;
}

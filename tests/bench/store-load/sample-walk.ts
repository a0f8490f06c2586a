/** What is written: 1,000 devices with 5 metrics each, whose values change by at most 0.1 per write. */
export const DEVICES = 1_000;
export const METRICS = ['m0', 'm1', 'm2', 'm3', 'm4'];
export const SERIES = DEVICES * METRICS.length;
export const WRITES = Math.ceil(Number(process.env['SAMPLES'] ?? 3_000_000) / SERIES);
const STEP_MS = 43_200;
export const POINTS = 500;

export const endMs = Math.floor(Date.now() / STEP_MS) * STEP_MS;
export const startMs = endMs - WRITES * STEP_MS;
export const bucketMs = Math.ceil((endMs - startMs) / POINTS);

/** One write: its timestamp, and a value in tenths for each series. */
export type Write = { readonly ts: number; readonly tenths: Int32Array };
export const deviceOf = (n: number): string => `device-${n}`;
export const valueOf = ({ tenths }: Write, device: number, metric: number): number =>
  tenths[device * METRICS.length + metric]! / 10;
/** The same random walk for each subject (a linear congruential generator). */
export const createWrites = function* (): Generator<Write> {
  const tenths = new Int32Array(SERIES).fill(200);
  let state = 12_345;
  for (let n = 0; n < WRITES; n += 1) {
    for (let i = 0; i < SERIES; i += 1) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      tenths[i]! += ((state >>> 16) % 3) - 1;
    }
    yield { ts: startMs + (n + 1) * STEP_MS, tenths: tenths.slice() };
  }
};

import { nextIteration } from '../../platform/event-loop.ts';
import { HttpProblem } from '../../platform/http/http-problem.ts';
import { slicesOf } from '../../platform/storage/slices.ts';

/** Divides devices into parts to read one after another, with other work in between. @throws HttpProblem once nobody waits for the result */
export type DeviceSlices = (devices: readonly string[], size: number) => AsyncGenerator<readonly string[]>;

/** `isAwaited`: whether the client still waits. */
export const createDeviceSlices = (isAwaited: () => boolean): DeviceSlices =>
  async function* (devices, size) {
    for (const slice of slicesOf(devices, size)) {
      if (!isAwaited()) throw new HttpProblem('overloaded', 'The request was closed.');
      yield slice;
      await nextIteration();
    }
  };

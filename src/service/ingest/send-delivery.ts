import { DeliveryFailure, type Delivery, type SpooledSample } from './destination.ts';

/** A sample that its destination does not take, and why. */
export type RefusedSample = { readonly sample: SpooledSample; readonly detail: string };

/** What of a delivery is done already, so that trying it again repeats no more than it must. */
export type DeliveryProgress = {
  readonly done: Set<string>;
  readonly refused: RefusedSample[];
  taken: number;
};

export const newProgress = (): DeliveryProgress => ({ done: new Set(), refused: [], taken: 0 });

/** So many refused with none taken: it is not these values that are wrong. */
const ALL_REFUSED = 10;

const valuesIn = ({ values }: SpooledSample): number => Object.keys(values).length;

const halves = (samples: readonly SpooledSample[]): readonly (readonly SpooledSample[])[] => {
  const [first] = samples;
  if (samples.length === 1 && first !== undefined)
    return Object.entries(first.values).map(([metric, value]) => [
      { ...first, values: Object.fromEntries([[metric, value]]) },
    ]);
  const middle = Math.ceil(samples.length / 2);
  return [samples.slice(0, middle), samples.slice(middle)];
};

/** Samples in their order, so many together that they hold at most `most` values where one alone does not hold more. */
const slicesByValues = (samples: readonly SpooledSample[], most: number): SpooledSample[][] => {
  const slices: SpooledSample[][] = [];
  let values = most;
  for (const sample of samples) {
    values += valuesIn(sample);
    if (values > most) {
      slices.push([]);
      values = valuesIn(sample);
    }
    slices.at(-1)!.push(sample);
  }
  return slices;
};

/**
 * Sends a delivery, in parts where it is not taken as a whole: down to the single values that the destination refuses,
 * which `progress` names in the end. Each part has an id of its own that is the same whenever it is sent again.
 * @throws DeliveryFailure `unavailable` or `refused`
 */
export const sendDelivery = async (
  send: (delivery: Delivery) => Promise<void>,
  delivery: Delivery,
  { progress, batchSize }: { progress: DeliveryProgress; batchSize: number },
): Promise<void> => {
  for (const [index, samples] of slicesByValues(delivery.samples, batchSize).entries())
    await sendPart(send, { ...delivery, id: `${delivery.id}.${index + 1}`, samples }, progress);
};

const sendPart = async (
  send: (delivery: Delivery) => Promise<void>,
  delivery: Delivery,
  progress: DeliveryProgress,
): Promise<void> => {
  const { id, samples } = delivery;
  if (progress.done.has(id)) return;
  try {
    await send(delivery);
    progress.done.add(id);
    progress.taken += 1;
    return;
  } catch (error) {
    if (!(error instanceof DeliveryFailure) || error.kind !== 'unacceptable') throw error;
    const isOne = samples.length === 1 && samples.every((sample) => valuesIn(sample) <= 1);
    if (isOne) {
      progress.done.add(id);
      progress.refused.push(...samples.map((sample) => ({ sample, detail: error.message })));
      if (progress.taken === 0 && progress.refused.length >= ALL_REFUSED) {
        const { message } = error;
        // Once it is mended they are all tried anew.
        progress.done.clear();
        progress.refused.length = 0;
        throw new DeliveryFailure('refused', `It takes none of the values: ${message}`, { cause: error });
      }
      return;
    }
  }
  for (const [index, part] of halves(samples).entries())
    await sendPart(send, { ...delivery, id: `${id}.${index + 1}`, samples: part }, progress);
};

import {
  countSamples,
  DeliveryFailure,
  type Delivery,
  type SpooledSamples,
} from '../destinations/destination.ts';

/** Samples that the destination rejected, and why. */
export type RejectedSamples = {
  readonly id: string;
  readonly group: SpooledSamples;
  readonly detail: string;
};

/** The completed parts of a delivery, so that a retry does not repeat them. */
export type DeliveryProgress = {
  readonly done: Set<string>;
  rejected: RejectedSamples[];
  accepted: number;
};

export const newProgress = (): DeliveryProgress => ({ done: new Set(), rejected: [], accepted: 0 });

/** If this many samples are rejected and none accepted, the cause is not the samples. */
const ALL_REJECTED_LIMIT = 10;

/** Groups of samples that are sent together. The ID of a group is the same in every attempt, alone or with others. */
type Part = readonly { readonly id: string; readonly group: SpooledSamples }[];

const halves = (part: Part): readonly Part[] => {
  const [first] = part;
  if (part.length === 1 && first !== undefined)
    return Object.entries(first.group.values).map(([metric, value], index) => [
      {
        id: `${first.id}_${index}`,
        group: { ...first.group, values: Object.fromEntries([[metric, value]]) },
      },
    ]);
  const middle = Math.ceil(part.length / 2);
  return [part.slice(0, middle), part.slice(middle)];
};

/** Splits a delivery, in order, into slices of at most `maxSamples`, or one group if it has more. */
const sliceDelivery = (groups: Part, maxSamples: number): Part[] => {
  const slices: Part[number][][] = [];
  let count = maxSamples;
  for (const each of groups) {
    count += countSamples([each.group]);
    if (count > maxSamples) {
      slices.push([]);
      count = countSamples([each.group]);
    }
    slices.at(-1)!.push(each);
  }
  return slices;
};

/** The ID of a part: the same for the same samples, different for others. */
const idOf = (part: Part): string => {
  const [first, last] = [part[0]!.id, part.at(-1)!.id];
  return first === last ? first : `${first}_to_${last.slice(last.lastIndexOf('_') + 1)}`;
};

type Send = (delivery: Delivery) => Promise<void>;

/**
 * Sends samples. If the destination rejects them as a whole, sends smaller parts, down to the single samples that it
 * rejects, which `progress` lists in the end. `id`: the ID of the delivery, the same for each retry.
 * @throws DeliveryFailure `unavailable` or `refused`
 */
export const sendDelivery = async (
  send: Send,
  { id, pipeline, samples }: Pick<Delivery, 'id' | 'pipeline' | 'samples'>,
  { progress, batchSize }: { progress: DeliveryProgress; batchSize: number },
): Promise<void> => {
  const all = samples.map((group, index) => ({ id: `${id}_${index}`, group }));
  for (const part of sliceDelivery(all, batchSize)) await sendPart(send, { pipeline, part }, progress);
};

/** Removes rejections of an earlier attempt for samples that are accepted now. */
const removeAccepted = (progress: DeliveryProgress, accepted: ReadonlySet<string>): void => {
  progress.rejected = progress.rejected.filter(
    ({ id }) => !accepted.has(id) && !accepted.has(id.slice(0, id.lastIndexOf('_'))),
  );
};

const sendPart = async (
  send: Send,
  { pipeline, part }: { pipeline: Delivery['pipeline']; part: Part },
  progress: DeliveryProgress,
): Promise<void> => {
  const id = idOf(part);
  if (progress.done.has(id)) return;
  try {
    const [ids, samples] = [part.map((each) => each.id), part.map(({ group }) => group)];
    await send({ id, pipeline, samples, ids });
    progress.done.add(id);
    progress.accepted += 1;
    if (progress.rejected.length > 0) removeAccepted(progress, new Set(ids));
    return;
  } catch (error) {
    if (!(error instanceof DeliveryFailure) || error.kind !== 'unacceptable') throw error;
    const isOne = part.length === 1 && countSamples(part.map(({ group }) => group)) <= 1;
    if (isOne) {
      progress.done.add(id);
      progress.rejected.push(...part.map((each) => ({ ...each, detail: error.message })));
      if (progress.accepted === 0 && progress.rejected.length >= ALL_REJECTED_LIMIT) {
        const { message } = error;
        // After a fix, all of them are retried.
        progress.done.clear();
        progress.rejected = [];
        throw new DeliveryFailure('refused', `The destination rejects all samples: ${message}`, {
          cause: error,
        });
      }
      return;
    }
  }
  for (const half of halves(part)) await sendPart(send, { pipeline, part: half }, progress);
};

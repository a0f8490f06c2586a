import { expect, test } from 'vitest';
import { DeliveryFailure, type Delivery } from '#service/pipelines/destinations/destination.ts';
import { newProgress, sendDelivery } from '#service/pipelines/spool/send-delivery.ts';

const samples = Array.from({ length: 100 }, (_, n) => ({ device: 'boiler', ts: n, values: { n, m: n } }));
const whole = { id: 'd', pipeline: { id: 'pip', name: 'Live' }, samples };

/** A destination that accepts samples unless `refuses` returns true, and records them with their IDs. */
const destination = (refuses: (delivery: Delivery) => boolean) => {
  const taken = new Map<string, string>();
  const send = async (delivery: Delivery): Promise<void> => {
    if (refuses(delivery)) throw new DeliveryFailure('unacceptable', 'Not these.');
    taken.set(delivery.id, JSON.stringify(delivery.samples));
  };
  return { send, taken };
};
const valuesOf = (taken: Map<string, string>) =>
  [...taken.values()]
    .flatMap((text) => JSON.parse(text) as typeof samples)
    .flatMap(({ values }) => Object.values(values));

test('a delivery is split to the requested size, in order', async () => {
  const { send, taken } = destination(() => false);
  await sendDelivery(send, whole, { progress: newProgress(), batchSize: 30 });
  expect([...taken.keys()].slice(0, 2)).toEqual(['d_0_to_14', 'd_15_to_29']);
  expect(valuesOf(taken)).toEqual(samples.flatMap(({ values }) => Object.values(values)));
});

test('samples keep their IDs if the size changes between attempts', async () => {
  const first = destination(() => false);
  const again = destination(() => false);
  await sendDelivery(first.send, whole, { progress: newProgress(), batchSize: 30 });
  await sendDelivery(again.send, whole, { progress: newProgress(), batchSize: 20 });
  for (const [id, text] of again.taken) if (first.taken.has(id)) expect(first.taken.get(id)).toBe(text);
});

test('single rejected samples are found, and all others are accepted once, in order', async () => {
  const isBad = ({ values }: Delivery['samples'][number]) => values['n'] === 7 || values['m'] === 42;
  const { send, taken } = destination((delivery) => delivery.samples.some(isBad));
  const progress = newProgress();
  await sendDelivery(send, whole, { progress, batchSize: 5_000 });
  expect(progress.rejected.map(({ group }) => group)).toEqual([
    { device: 'boiler', ts: 7, values: { n: 7 } },
    { device: 'boiler', ts: 42, values: { m: 42 } },
  ]);
  expect(valuesOf(taken)).toHaveLength(198);
  expect(new Set(taken.keys()).size).toBe(taken.size);
});

test('accepted samples are not sent again with a retry', async () => {
  const progress = newProgress();
  let calls = 0;
  const flaky = async (delivery: Delivery): Promise<void> => {
    calls += 1;
    if (delivery.samples[0]!.ts === 45 && calls < 5) throw new DeliveryFailure('unavailable', 'Away.');
  };
  const options = { progress, batchSize: 30 };
  await expect(sendDelivery(flaky, whole, options)).rejects.toThrow('Away.');
  expect(calls).toBe(4);
  await sendDelivery(flaky, whole, options);
  expect(calls).toBe(4 + 4);
});

test('samples that are rejected first and accepted with a retry count as accepted', async () => {
  const progress = newProgress();
  let isMended = false;
  const send = async (delivery: Delivery): Promise<void> => {
    if (isMended) return;
    if (!delivery.samples.some(({ values }) => values['n'] === 0))
      throw new DeliveryFailure('unavailable', 'Away.');
    throw new DeliveryFailure('unacceptable', 'Not 0.');
  };
  const attempt = () => sendDelivery(send, whole, { progress, batchSize: 30 });
  await expect(attempt()).rejects.toMatchObject({ kind: 'unavailable' });
  expect(progress.rejected).toHaveLength(1);
  isMended = true;
  await attempt();
  expect(progress.rejected).toEqual([]);
});

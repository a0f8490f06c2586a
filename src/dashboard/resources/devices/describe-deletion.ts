import { plural } from '../../ui/format/format-number.ts';

/** What happens to deleted devices, and to their samples if their number is known. */
export const describeDeletion = (devices: number, samples = 0): string => {
  const [them, their] = devices === 1 ? ['it', 'its'] : ['them', 'their'];
  const telemetry = samples === 0 ? 'telemetry' : plural(samples, 'sample');
  return `You can restore ${them} for 24 hours. Then Penstock deletes ${them} with ${their} ${telemetry}.`;
};

import { externalIdSchema } from '#contract/devices.ts';
import { slugOf } from '#contract/text.ts';

/** The name if it is a valid external ID, otherwise its slug. */
export const externalIdOf = (name: string): string =>
  externalIdSchema.safeParse(name).success ? name : slugOf(name, 128) || name;

import { externalIdSchema } from '#contract/devices.ts';
import { slugOf } from '#contract/text.ts';

/** The name itself where it can be an external id, else its slug. */
export const externalIdOf = (name: string): string =>
  externalIdSchema.safeParse(name).success ? name : slugOf(name, 128) || name;

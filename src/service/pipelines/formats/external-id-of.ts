import { isExternalId } from '#contract/external-id.ts';
import { slugOf } from '#contract/text.ts';

/** The name if it is a valid external ID, otherwise its slug. */
export const externalIdOf = (name: string): string => (isExternalId(name) ? name : slugOf(name, 128) || name);

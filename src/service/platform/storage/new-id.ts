import { typeid } from 'typeid-js';
import type { IdPrefix } from '#contract/id.ts';

/** A new TypeID. IDs sort by creation time. */
export const newId = (prefix: IdPrefix): string => typeid(prefix).toString();

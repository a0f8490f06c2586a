import { typeid } from 'typeid-js';
import type { IdPrefix } from '#contract/id.ts';

/** A new TypeID: its order is that of its making. */
export const newId = (prefix: IdPrefix): string => typeid(prefix).toString();

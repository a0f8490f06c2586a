import * as z from 'zod';
import { timeSchema } from './paging.ts';

/** What went wrong last with something that goes on; `example` in words. */
export const lastErrorSchema = (example: string) =>
  z
    .object({
      at: timeSchema.describe('When it happened.'),
      detail: z.string().meta({ description: 'What went wrong.', examples: [example] }),
    })
    .nullable()
    .meta({ description: 'What went wrong last; null: nothing.', examples: [null] });

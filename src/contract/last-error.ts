import * as z from 'zod';
import { timeSchema } from './paging.ts';

/** The latest error. `example` is its text in the document. */
export const lastErrorSchema = (example: string) =>
  z
    .object({
      at: timeSchema.describe('When the error occurred.'),
      detail: z.string().meta({ description: 'The human-readable error.', examples: [example] }),
    })
    .nullable()
    .meta({ description: 'The latest error. `null` if there is none.', examples: [null] });

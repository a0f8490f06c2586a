import * as z from 'zod';

/** A number of resources, and how many of them are in each state. */
export const countsByState = <const S extends string>(states: readonly S[]) =>
  z.object({
    total: z.int().describe('The total number.'),
    byState: z
      .object(
        Object.fromEntries(
          states.map((state) => [state, z.int().describe(`Number in the state \`${state}\`.`)]),
        ) as Record<S, z.ZodInt>,
      )
      .describe('The number in each state.'),
  });

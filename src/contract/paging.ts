import * as z from 'zod';

/** The parameters that every list takes. `sorts` is the allow-list; `-` before one turns it round. */
export const listQuery = <const S extends readonly [string, ...string[]], F extends z.ZodRawShape>(
  sorts: S,
  filters: F,
) => {
  const allowed = [...sorts, ...sorts.map((sort) => `-${sort}`)] as unknown as [S[number] | `-${S[number]}`];
  return z.strictObject({
    limit: z.int().min(1).max(200).default(50).describe('How many rows at the most.'),
    cursor: z
      .string()
      .max(2_000)
      .optional()
      .describe('`nextCursor` of the page before, with the same filters and sort.'),
    sort: z.enum(allowed).optional().describe('The order; `-` before a name turns it round.'),
    total: z.boolean().optional().describe('`true` adds `total`, the number of rows that match.'),
    ...filters,
  });
};

/** A page of a list. `nextCursor` is null on the last one. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({
    data: z.array(item).describe('The rows, in the order asked for.'),
    nextCursor: z
      .string()
      .nullable()
      .describe('The `cursor` of the next page; null on the last one.')
      .meta({ examples: [null] }),
    total: z.int().optional().describe('How many rows match; where `total=true` asks.'),
  });

export type Page<T> = { data: T[]; nextCursor: string | null; total?: number | undefined };

/** RFC 3339 in UTC with milliseconds. */
export const timeSchema = z.iso.datetime({ precision: 3 }).meta({ examples: ['2025-11-21T09:30:00.000Z'] });

/** Literal, case-insensitive substring. */
export const searchSchema = z.string().max(200).optional().describe('Literal, case-insensitive substring.');

import * as z from 'zod';

/** The parameters of every list. `sorts` lists the accepted sort keys; the prefix `-` reverses the order. */
export const listQuery = <const S extends readonly [string, ...string[]], F extends z.ZodRawShape>(
  sorts: S,
  filters: F,
) => {
  const allowed = [...sorts, ...sorts.map((sort) => `-${sort}`)] as unknown as [S[number] | `-${S[number]}`];
  return z.strictObject({
    limit: z.int().min(1).max(200).default(50).describe('The largest number of items in the page.'),
    cursor: z
      .string()
      .max(2_000)
      .optional()
      .describe('`nextCursor` of the previous page. Use the same filters and sort.'),
    sort: z.enum(allowed).optional().describe('The sort key. The prefix `-` reverses the order.'),
    total: z.boolean().optional().describe('`true` adds `total`, the number of matching items.'),
    ...filters,
  });
};

/** A filter of a list that matches any of several values. `most`: the largest number of values. */
export const anyOf = <T extends z.ZodType>(value: T, most: number) =>
  z.array(value).max(most).optional().describe('Repeat the parameter to match any of several values.');

/** A page of a list. `nextCursor` is null on the last page. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({
    data: z.array(item).describe('The items of the page, in order.'),
    nextCursor: z
      .string()
      .nullable()
      .describe('The `cursor` of the next page. `null` on the last page.')
      .meta({ examples: [null] }),
    total: z.int().optional().describe('The number of matching items. Only with `total=true`.'),
  });

export type Page<T> = { data: T[]; nextCursor: string | null; total?: number | undefined };

/** RFC 3339 in UTC with milliseconds. */
export const timeSchema = z.iso.datetime({ precision: 3 }).meta({ examples: ['2025-11-21T09:30:00.000Z'] });

/** The largest number of characters of a search. */
export const SEARCH_LENGTH = 200;
export const searchSchema = z
  .string()
  .max(SEARCH_LENGTH)
  .optional()
  .describe(
    'The words to search for, in any order, ignoring case. Each can be part of a word. A number or a single character belongs to the word before it (`pump 12` also finds `pump-12`), and a text in double quotes is one word. At most 10 words.',
  )
  .meta({ examples: ['pump lyon'] });

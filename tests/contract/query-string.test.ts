import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { decodeQuery, encodeQuery } from '#contract/query-string.ts';

const schema = z.strictObject({
  q: z.string().optional(),
  limit: z.int().default(50),
  total: z.boolean().optional(),
  state: z.array(z.string()).optional(),
});

const roundTrip = (query: Parameters<typeof encodeQuery>[0]) =>
  decodeQuery(schema, new URLSearchParams(encodeQuery(query)));

describe('a query', () => {
  it('comes back from its text as it was, whatever the texts hold', () => {
    const query = fc.record(
      {
        q: fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
        limit: fc.integer(),
        total: fc.boolean(),
        state: fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(query, (given) => {
        expect(roundTrip(given)).toEqual({ value: { ...given }, repeated: [] });
      }),
    );
  });

  it('passes text that is neither a number nor a boolean to the schema, which rejects it', () => {
    const { value } = decodeQuery(schema, new URLSearchParams('limit=1e2&total=yes'));
    expect(value).toEqual({ limit: '1e2', total: 'yes' });
    expect(schema.safeParse(value).success).toBe(false);
  });

  it('names a parameter that is repeated but accepts one value', () => {
    expect(decodeQuery(schema, new URLSearchParams('q=a&q=b&state=x&state=y'))).toEqual({
      value: { state: ['x', 'y'] },
      repeated: ['q'],
    });
  });

  it('keeps hostile names as plain fields, so that the schema rejects them', () => {
    const { value } = decodeQuery(schema, new URLSearchParams('__proto__=1&constructor=2'));
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(schema.safeParse(value).success).toBe(false);
  });
});

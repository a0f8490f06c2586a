import { expect, test } from 'vitest';
import { keptPartOf } from '#service/pipelines/runner/last-messages.ts';

test('the start of a long message is kept without the memory of the rest', () => {
  const kept = keptPartOf(Buffer.alloc(1_048_576, 'a'));
  expect(kept).toHaveLength(65_537);
  expect(kept.buffer.byteLength).toBe(65_537);
});

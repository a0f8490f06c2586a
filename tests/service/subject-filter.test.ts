import { expect, test } from 'vitest';
import { subjectFilter } from '#service/pipelines/sources/subject-filter.ts';

test.each([
  ['plant.*.data', 'plant.kiln-3.data', 'kiln-3'],
  ['plant.*.>', 'plant.kiln-3.data.raw', 'kiln-3'],
  ['*.*', 'a.b', 'a'],
  ['plant.>', 'plant.kiln-3', undefined],
  ['>', 'a.b', undefined],
  ['plant.data', 'plant.data', undefined],
])('the subject %s matches %s with the part at its first *', (pattern, subject, level) => {
  expect(subjectFilter(pattern)(subject)).toEqual({ level });
});

test.each([
  ['plant.*.data', 'plant.a.b.data'],
  ['plant.*', 'plant'],
  ['plant.>', 'plant'],
  ['plant.data', 'plant.Data'],
])('the subject %s does not match %s', (pattern, subject) => {
  expect(subjectFilter(pattern)(subject)).toBeUndefined();
});

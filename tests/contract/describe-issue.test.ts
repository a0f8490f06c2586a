import { expect, test } from 'vitest';
import { describeIssue } from '#contract/describe-issue.ts';
import { pipelineConfigs } from '#contract/pipeline-types.ts';

const addressProblems = (register: object) =>
  pipelineConfigs.modbus
    .safeParse({ host: '10.0.0.20', registers: [register] })
    .error?.issues.map((issue) => [issue.path.join('.'), describeIssue(issue)]);

test('a number is described as required if it is missing, and by its own message if it is invalid', () => {
  expect(addressProblems({ metric: 'flow' })).toEqual([['registers.0.address', 'Required (number).']]);
  const invalid = [['registers.0.address', 'Must be a whole number.']];
  expect(addressProblems({ metric: 'flow', address: '7' })).toEqual(invalid);
  expect(addressProblems({ metric: 'flow', address: 1.5 })).toEqual(invalid);
});

import * as z from 'zod';
import { pipelineTestSchema, stepNameSchema, testStepSchema } from './pipeline-test.ts';

/** A line of a streamed test. The last one has the whole result. */
export const pipelineTestLineSchema = z.union([
  z.object({ type: z.literal('begin'), step: stepNameSchema }),
  testStepSchema.extend({ type: z.literal('step') }),
  z.object({ type: z.literal('end'), test: pipelineTestSchema }),
]);
export type PipelineTestLine = z.infer<typeof pipelineTestLineSchema>;

import * as z from 'zod';
import { allowSchema } from './problem.ts';
import { receivedMessageSchema } from './received-message.ts';

/** A field of a pipeline that has to be changed. */
export const pipelineProblemSchema = z.object({
  pointer: z
    .string()
    .meta({ description: 'A JSON pointer into the pipeline (RFC 6901).', examples: ['/type'] }),
  detail: z.string().meta({ description: 'What is missing or unknown.', examples: ['Unknown type: opc.'] }),
});

export const stepNameSchema = z.enum(['fields', 'source', 'mapping', 'destination']).describe('The step.');

export const testStepSchema = z.object({
  step: stepNameSchema,
  ok: z.boolean().describe('Whether the step succeeded.'),
  detail: z.string().meta({ description: 'The human-readable result.', examples: ['The server answered.'] }),
  ms: z.int().describe('The duration, in milliseconds.'),
  pointer: z
    .string()
    .optional()
    .meta({
      description:
        'A JSON pointer into the pipeline (RFC 6901): the field to check. Omitted if nothing failed or was rejected, or no field would help.',
      examples: ['/config/device'],
    }),
  allow: allowSchema.optional(),
});
export type PipelineTestStep = z.infer<typeof testStepSchema>;

/** The result of testing a pipeline. */
export const pipelineTestSchema = z
  .object({
    ok: z.boolean().describe('Whether every step succeeded.'),
    steps: z.array(testStepSchema).describe('The steps in order. Steps after a failed step may be omitted.'),
    message: receivedMessageSchema
      .optional()
      .describe('The message that a polled source returned. Omitted if there was none.'),
    problems: z
      .array(pipelineProblemSchema)
      .optional()
      .meta({ description: 'Missing or invalid fields. Omitted if there are none.', examples: [[]] }),
  })
  .meta({ id: 'PipelineTest', description: 'The result of a pipeline test.' });
export type PipelineTest = z.infer<typeof pipelineTestSchema>;

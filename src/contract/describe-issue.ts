import type * as z from 'zod';

const article = (kind: string): string => (/^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`);

const sizeOf = (origin: string, bound: string, size: number | bigint): string => {
  if (origin === 'string' && size === 1 && bound === 'at least') return 'not be empty';
  if (origin === 'string') return `have ${bound} ${size} characters`;
  return ['array', 'set', 'map', 'record'].includes(origin)
    ? `have ${bound} ${size} entries`
    : `be ${bound} ${size}`;
};

/** Describes a problem of a value. Keeps the messages of the contract and replaces those of zod. */
export const describeIssue = (issue: z.core.$ZodIssue): string => {
  if (issue.code === 'too_small' && issue.message.startsWith('Too small'))
    return `Must ${sizeOf(issue.origin, 'at least', issue.minimum)}.`;
  if (issue.code === 'too_big' && issue.message.startsWith('Too big'))
    return `Must ${sizeOf(issue.origin, 'at most', issue.maximum)}.`;
  if (issue.code === 'invalid_value' && issue.message.startsWith('Invalid'))
    return `Must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}.`;
  if (issue.code !== 'invalid_type' || !issue.message.startsWith('Invalid input'))
    return sentence(issue.message);
  const kind = issue.expected === 'array' ? 'list' : issue.expected;
  return issue.message.endsWith('received undefined') ? `Required (${kind}).` : `Must be ${article(kind)}.`;
};

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** The message for a value of another type. A missing value keeps the message of zod, so that it is described as required. */
export const wrongType =
  (message: string) =>
  ({ input }: { readonly input: unknown }): string | undefined =>
    input === undefined ? undefined : message;

import { tagsSchema } from '#contract/devices.ts';

/** The problems of tags, by key. */
export const tagProblems = (tags: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    (tagsSchema.safeParse(tags).error?.issues ?? []).map((issue) => [
      String(issue.path[0] ?? Object.keys(tags).at(-1)),
      issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message,
    ]),
  );

import { expect } from 'vitest';

/** The token of the sign-in link in the standard output of a service. It may arrive after the log, which has its own pipe. */
export const signinTokenIn = async (stdout: () => string): Promise<string> => {
  const find = () => /#signin=(\S+)\s/.exec(stdout())?.[1];
  await expect.poll(find, { timeout: 30_000 }).toBeDefined();
  return find() ?? '';
};

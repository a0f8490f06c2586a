/** The environment of a program that a test starts. The suite names a folder in which Node keeps compiled code. */
export const programEnv = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
};

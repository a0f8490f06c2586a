import type { Plugin } from 'vite';

/**
 * Asks Chromium to compile all functions of a file beside the main thread while the file loads, instead of each when it is first
 * called. Other browsers ignore it. Must be the first line: https://v8.dev/blog/explicit-compile-hints.
 */
const HINT = '//# allFunctionsCalledOnLoad\n';

/** Adds the hint to the files with these names: those of every page, most of whose functions each page calls. */
export const compileAtOnce = (names: readonly string[]): Plugin => ({
  name: 'compile-at-once',
  apply: 'build',
  generateBundle: {
    // After Vite, which writes the list of files into the first line.
    order: 'post',
    handler: (_, bundle) => {
      for (const name of names) {
        const chunk = Object.values(bundle).find((item) => item.type === 'chunk' && item.name === name);
        if (chunk?.type !== 'chunk') throw new Error(`No file of the build has the name ${name}.`);
        chunk.code = HINT + chunk.code;
      }
    },
  },
});

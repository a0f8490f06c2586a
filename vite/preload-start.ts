import type { Plugin } from 'vite';

/** Preloads the files that the first script imports while it runs, so that they load in parallel with it. */
export const preloadStart = (start: string): Plugin => ({
  name: 'preload-start',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (html, { bundle = {} }) => {
      const chunks = Object.values(bundle).filter((item) => item.type === 'chunk');
      const entry = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(start) === true);
      if (entry === undefined) throw new Error(`No file of the build begins with ${start}.`);
      return [entry.fileName, ...entry.imports]
        .filter((file) => !html.includes(file))
        .map((file) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `./${file}` },
          injectTo: 'head' as const,
        }));
    },
  },
});

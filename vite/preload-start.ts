import type { Plugin } from 'vite';

/** The module whose file the first script imports. */
const START = 'src/dashboard/start.tsx';

/** Preloads all files that the first script imports while it runs, so that they load in parallel with it. */
export const preloadStart = (): Plugin => ({
  name: 'preload-start',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (html, { bundle = {} }) => {
      const chunks = Object.values(bundle).filter((item) => item.type === 'chunk');
      const start = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(START) === true);
      if (start === undefined) throw new Error(`No file of the build begins with ${START}.`);
      const files = new Set<string>();
      const add = (file: string) => {
        if (files.has(file)) return;
        files.add(file);
        for (const name of chunks.find(({ fileName }) => fileName === file)?.imports ?? []) add(name);
      };
      add(start.fileName);
      return [...files]
        .filter((file) => !html.includes(file))
        .map((file) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `./${file}` },
          injectTo: 'head' as const,
        }));
    },
  },
});

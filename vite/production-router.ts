import { join } from 'node:path';
import type { Plugin } from 'vite';

const PRODUCTION = join(import.meta.dirname, '../node_modules/react-router/dist/production');

/** Builds with the production files of the router. Its package names only those with warnings for developers. */
export const productionRouter = (): Plugin => ({
  name: 'production-router',
  apply: 'build',
  config: () => ({
    resolve: {
      alias: [
        { find: /^react-router$/, replacement: join(PRODUCTION, 'index.mjs') },
        { find: /^react-router\/dom$/, replacement: join(PRODUCTION, 'dom-export.mjs') },
      ],
    },
  }),
});

import { join } from 'node:path';
import { defineConfig } from 'vite';

const SERVICE = join(import.meta.dirname, '../src/service');

/**
 * The programs of the service with the packages that they use, as JavaScript in one folder. A start loads 40 modules
 * instead of 1,200. Programs find each other by name: `siblingProgram`.
 */
export default defineConfig({
  publicDir: false,
  build: {
    ssr: true,
    outDir: 'dist/service',
    target: 'node24',
    rolldownOptions: {
      input: {
        main: join(SERVICE, 'main.ts'),
        signin: join(SERVICE, 'signin.ts'),
        'backup-command': join(SERVICE, 'backup-command.ts'),
        'verify-command': join(SERVICE, 'verify-command.ts'),
        'migrate-command': join(SERVICE, 'migrate-command.ts'),
        'verification-thread': join(SERVICE, 'verify/verification-thread.ts'),
        'inspection-thread': join(SERVICE, 'backup/inspection-thread.ts'),
        'reader-worker': join(SERVICE, 'body-reader/reader-worker.ts'),
        'expression-host': join(SERVICE, 'pipelines/mapping/expression-host.ts'),
        'telemetry-worker': join(SERVICE, 'telemetry/store/embedded/telemetry-worker.ts'),
      },
      output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
    },
  },
  ssr: { noExternal: true },
});

import { destinationKind } from './destination.ts';
import { tryExportFolder } from './export-folder.ts';
import { fileFailure } from './file-failure.ts';
import { createRotatedFiles } from './rotated-files.ts';
import { lineFormats } from './sample-lines.ts';
import { raceAbort } from '../connections/race-abort.ts';

const GIGABYTE = 1_000_000_000;

export const fileDestination = destinationKind({
  type: 'file',
  label: 'Files',
  description: 'Writes NDJSON or CSV files.',
  open: ({ destination, options, dataDir, now }) => {
    const { folder = destination.id, format } = options;
    const { header, lines } = lineFormats[format];
    const files = createRotatedFiles({
      ...options,
      owner: destination.id,
      keepFiles: options.keepFiles,
      dataDir,
      folder,
      header,
      now,
    });
    let last: Promise<unknown> = Promise.resolve();
    /** Runs work sequentially, because pipelines share the file. */
    const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
      const done = last.then(work);
      last = done.catch(() => undefined);
      return done;
    };

    return {
      deliver: async ({ id, pipeline, samples }, signal) => {
        const text = lines(samples);
        if (text === '') return;
        try {
          const writing = inTurn(async () => {
            signal.throwIfAborted();
            await files.append(pipeline.id, id, text);
          });
          await raceAbort(writing, signal);
        } catch (error) {
          throw fileFailure(error, folder, signal);
        }
      },
      probe: async (signal) => {
        try {
          const freeBytes = await raceAbort(tryExportFolder(dataDir, folder), signal);
          return `exports/${folder} in the data directory is writable, with ${(freeBytes / GIGABYTE).toFixed(1)} GB free.`;
        } catch (error) {
          throw fileFailure(error, folder, signal);
        }
      },
      close: () => inTurn(() => files.close()),
    };
  },
});

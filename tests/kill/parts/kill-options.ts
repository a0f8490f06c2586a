import { parseArgs } from 'node:util';

/** Reads `--times` and `--seed` of a run. Ends the process if they are not integers. */
export const readKillOptions = (defaultTimes: number): { times: number; seed: number } => {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: {
      times: { type: 'string', default: String(defaultTimes) },
      seed: { type: 'string', default: '1' },
    },
  });
  const [times, seed] = [Number(values.times), Number(values.seed)];
  if (!Number.isSafeInteger(times) || times < 1 || !Number.isSafeInteger(seed)) {
    process.stderr.write('--times must be an integer of at least 1, --seed an integer.\n');
    process.exit(1);
  }
  return { times, seed };
};

/** Ends the process before the run: its options are wrong, or a program is missing. */
export const abortRun = (detail: string): never => {
  process.stderr.write(`${detail}\n`);
  process.exit(1);
};

/** The options that all runs with kills take, for `parseArgs`. */
export const killOptions = (times: number) =>
  ({
    times: { type: 'string', default: String(times) },
    seed: { type: 'string', default: '1' },
  }) as const;

/** Reads the values of `killOptions`. Ends the process if they are not integers. */
export const readKillOptions = (values: { times: string; seed: string }): { times: number; seed: number } => {
  const [times, seed] = [Number(values.times), Number(values.seed)];
  if (!Number.isSafeInteger(times) || times < 1 || !Number.isSafeInteger(seed))
    abortRun('--times must be an integer of at least 1, --seed an integer.');
  return { times, seed };
};

export const print = (line: string) => process.stdout.write(`${line}\n`);

/** Prints the first faults and the verdict of a run, and ends the process. `verdict`: without faults. */
export const endRun = (faults: readonly string[], verdict = 'Nothing was lost.'): never => {
  for (const fault of faults.slice(0, 20)) print(fault);
  print(faults.length === 0 ? verdict : 'Errors were found.');
  process.exit(faults.length === 0 ? 0 : 1);
};

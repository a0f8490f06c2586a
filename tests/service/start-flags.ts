import packageJson from '#package.json' with { type: 'json' };

/** The Node flags that the command `penstock` adds, so that tests measure what users run. */
export const startFlags = packageJson.config.flags;

/** The environment that it adds on Linux. */
export const startEnv = packageJson.config.malloc;

import packageJson from '#package.json' with { type: 'json' };

/** The version of Penstock, from package.json. */
export const VERSION = packageJson.version;

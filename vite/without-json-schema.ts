import type { Plugin } from 'vite';

const MODULES = ['to-json-schema', 'json-schema-processors'];
const EXPORT = /^export (?:const|function) (\w+)/gm;

/** The same exports as functions that return functions without effect. */
const withoutEffect = (code: string): string => {
  const names = [...code.matchAll(EXPORT)].map(([, name]) => name);
  return [
    'const noop = () => () => undefined;',
    ...names.map((name) => `export const ${name} = noop;`),
    'export { noop as process };',
  ].join('\n');
};

/** Keeps the code of zod that writes JSON Schemas, which only the service uses, out of what browsers load. */
export const zodWithoutJsonSchema = (): Plugin => {
  const missingModules = new Set(MODULES);
  return {
    name: 'zod-without-json-schema',
    apply: 'build',
    transform: {
      filter: { id: /\/zod\/v4\/core\/(?:to-json-schema|json-schema-processors)\.js$/ },
      handler: (code, id) => {
        for (const name of MODULES) if (id.endsWith(`/${name}.js`)) missingModules.delete(name);
        return { code: withoutEffect(code), map: null };
      },
    },
    buildEnd(error) {
      if (error === undefined && missingModules.size > 0)
        this.error(
          `zod no longer has ${[...missingModules].join(' and ')}. Update vite/without-json-schema.ts.`,
        );
    },
  };
};

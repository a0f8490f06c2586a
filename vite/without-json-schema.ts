import type { Plugin } from 'vite';

const MODULES = ['to-json-schema', 'json-schema-processors'];
const EXPORT = /^export (?:const|function) (\w+)/gm;

/** The same exports as functions that return functions without effect. */
const withoutEffect = (code: string): string => {
  const names = [...code.matchAll(EXPORT)].map(([, name]) => name);
  return [
    'const none = () => () => undefined;',
    ...names.map((name) => `export const ${name} = none;`),
    'export { none as process };',
  ].join('\n');
};

/** Keeps the code of zod that writes JSON Schemas, which only the service uses, out of what browsers load. */
export const zodWithoutJsonSchema = (): Plugin => {
  const left = new Set(MODULES);
  return {
    name: 'zod-without-json-schema',
    apply: 'build',
    transform: {
      filter: { id: /\/zod\/v4\/core\/(?:to-json-schema|json-schema-processors)\.js$/ },
      handler: (code, id) => {
        for (const name of MODULES) if (id.endsWith(`/${name}.js`)) left.delete(name);
        return { code: withoutEffect(code), map: null };
      },
    },
    buildEnd(error) {
      if (error === undefined && left.size > 0)
        this.error(`zod no longer has ${[...left].join(' and ')}. Update vite/without-json-schema.ts.`);
    },
  };
};

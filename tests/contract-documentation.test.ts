import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripTypeScriptTypes } from 'node:module';
import { expect, test } from 'vitest';
import { withoutDocumentation } from '../vite/without-documentation.ts';

const CONTRACT = join(import.meta.dirname, '../src/contract');

/** Each module of the contract, as it is built: without its types. */
const modules = readdirSync(CONTRACT)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, code: stripTypeScriptTypes(readFileSync(join(CONTRACT, name), 'utf8')) }));

test('what describes a schema or an endpoint is left out, what checks stays', () => {
  const code = [
    "const name = z.string().min(1, 'Must not be empty.').describe('What it is called.').meta({ title: 'Name' });",
    "const shape = z.object({ at: time.meta({ examples: ['now'] }), name }).meta({ id: 'Shape' }).strict();",
    "const api = endpoint({ method: 'GET', response: shape, doc: { tag, summary: 'Read' }, });",
    'const told = name.meta();',
  ].join('\n');
  expect(withoutDocumentation(code)).toBe(
    [
      "const name = z.string().min(1, 'Must not be empty.');",
      'const shape = z.object({ at: time, name }).strict();',
      "const api = endpoint({ method: 'GET', response: shape, });",
      'const told = name.meta();',
    ].join('\n'),
  );
});

test('every module of the contract stands without its documentation, and keeps what it exports', () => {
  for (const { name, code } of modules) {
    const rest = withoutDocumentation(code);
    const told = /\.describe\(|\.meta\(\{|^ +doc: /m;
    expect([name, told.exec(rest)?.[0]]).toEqual([name, undefined]);
    const exported = (text: string) => [...text.matchAll(/^export const (\w+)/gm)].map(([, each]) => each);
    expect(exported(rest)).toEqual(exported(code));
  }
});

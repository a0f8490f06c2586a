import jsonata from 'jsonata';
import { expect, test } from 'vitest';
import { usageOf } from '#dashboard/pages/pipeline-form/field-roles.ts';

const message = { id: 'a', at: 1_795_889_000, T: 25, rh: 50, in: { x: 1, 'y z': 2 }, list: [{ v: 1 }] };
const paths = [['id'], ['at'], ['T'], ['rh'], ['in', 'x'], ['in', 'y z'], ['list', '0', 'v']];
type Path = (typeof paths)[number];

const usages = (expression: string) =>
  Object.fromEntries(paths.map((path) => [path.join('.'), usageOf(expression, { path })]));

/** The message with another value of a field. */
const changed = (path: Path) => {
  const copy = structuredClone(message);
  const owner = path.slice(0, -1).reduce<object>((object, name) => Reflect.get(object, name), copy);
  Reflect.set(owner, path.at(-1)!, 77);
  return copy;
};

test('a field that the expression does not name is not used, unless it reads whole objects', () => {
  expect(usages('{ "device": id, "ts": at, "values": { "rh": T * 9 / 5 + 32 } }')).toEqual({
    id: 'named',
    at: 'named',
    T: 'named',
    rh: 'none',
    'in.x': 'none',
    'in.y z': 'none',
    'list.0.v': 'none',
  });
  expect(usages('{ "values": $merge([$, { "T": 1 }]) }')).toMatchObject({ id: 'possible', T: 'possible' });
  expect(usages('{ "values": `in` }')).toMatchObject({ 'in.x': 'named', 'in.y z': 'named', rh: 'none' });
});

test.each([
  '{ "device": id, "values": { "t": T % 10 * 2 } }',
  '{ "values": $ }',
  '{ "values": $$.{ "t": T } }',
  '{ "values": { "n": $count(*) } }',
  '{ "values": { "n": $sum(**[$type($) = "number"]) } }',
  '{ "values": { "n": $count($keys()) } }',
  '{ "values": { "n": $string() } }',
  '{ "values": { "n": $lookup($, "r" & "h") } }',
  '{ "values": { "n": $each(function($v) { $v }) } }',
  '{ "values": { "n": $eval("r" & "h") } }',
  '{ "values": { "n": `in`."y z" } }',
  '{ "values": { "n": T > 20 ? $."rh" : 1 } }',
  '{ "values": { "n": "a" & rh & ":" } }',
  "{ 'values': { 'n': 'a' & rh & ':' } }",
  '{ "values": { "n": $contains(id, /"/) ? rh & ":" : T } }',
  '{ "values": { "n": "\\u0072h".$ } }',
  '{ "values": { "n": $."\\u0072h" } }',
  '($m := $; { "values": { "n": $m.rh } })',
  '{ "values": { "n": list.%.rh } }',
  '{ "values": { "n": list.v + 1 /* rh */ } }',
  '$.{ "values": { "n": T } }',
  '{ "values": { "n": T > 20 ? `rh` : 1 } }',
  '{ "values": { "n": { `id`: 1 } } }',
  '($f := function($o, $n)<x-n:x>{ $o.rh }; { "values": { "n": $f(1) } })',
  '$ ~> |$|{ "values": {} }, ["rh"]|',
])('a field without use does not change what %s returns', async (expression) => {
  const evaluate = (input: unknown) => jsonata(expression).evaluate(input);
  const result = await evaluate(message);
  for (const path of paths.filter((each) => usageOf(expression, { path: each }) === 'none'))
    expect({ path, result: await evaluate(changed(path)) }).toEqual({ path, result });
});

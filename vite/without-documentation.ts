import { parseAst, type Plugin } from 'vite';

type Node = { type: string; start: number; end: number };
type Fields = Readonly<Record<string, unknown>>;
type Cut = { start: number; end: number };

const isNode = (value: unknown): value is Node & Fields =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value && 'end' in value;

const named = (value: unknown, name: string): boolean =>
  isNode(value) && value.type === 'Identifier' && value['name'] === name;

/** `.describe('…')` and `.meta({ … })` after a schema. `.meta()` without an argument reads, so it stays. */
const cutOfCall = (node: Node & Fields): Cut | undefined => {
  const { callee, arguments: given } = node;
  if (node.type !== 'CallExpression' || !Array.isArray(given) || given.length !== 1) return undefined;
  if (!isNode(callee) || callee.type !== 'MemberExpression' || !isNode(callee['object'])) return undefined;
  const isTelling = named(callee['property'], 'describe') || named(callee['property'], 'meta');
  return isTelling ? { start: callee['object'].end, end: node.end } : undefined;
};

/** `doc: { … }` of an endpoint, with the comma before it. */
const cutOfDoc = (node: Node & Fields): Cut | undefined => {
  const [shape] = Array.isArray(node['arguments']) ? (node['arguments'] as unknown[]) : [];
  if (node.type !== 'CallExpression' || !named(node['callee'], 'endpoint') || !isNode(shape))
    return undefined;
  const properties = Array.isArray(shape['properties']) ? (shape['properties'] as unknown[]) : [];
  const at = properties.findIndex((property) => isNode(property) && named(property['key'], 'doc'));
  const [before, doc] = [properties[at - 1], properties[at]];
  return isNode(before) && isNode(doc) ? { start: before.end, end: doc.end } : undefined;
};

const cutsBelow = (value: unknown): Cut[] => {
  if (Array.isArray(value)) return value.flatMap(cutsBelow);
  if (!isNode(value)) return [];
  const cuts = [cutOfCall(value), cutOfDoc(value)].filter((cut) => cut !== undefined);
  const isKept = ({ start, end }: Cut) => !cuts.some((cut) => cut.start <= start && end <= cut.end);
  return [...cuts, ...Object.values(value).flatMap(cutsBelow).filter(isKept)];
};

/** A module of the contract without the words that only the API document needs. It validates exactly as before. */
export const withoutDocumentation = (code: string): string => {
  let rest = code;
  for (const { start, end } of cutsBelow(parseAst(code)).toSorted((a, b) => b.start - a.start))
    rest = rest.slice(0, start) + rest.slice(end);
  return rest;
};

/** Keeps the documentation of the contract out of what browsers load: the reference of the API comes from the service. */
export const contractWithoutDocumentation = (): Plugin => ({
  name: 'contract-without-documentation',
  apply: 'build',
  transform: {
    filter: { id: /\/src\/contract\/[^/]+\.ts$/ },
    handler: (code) => ({ code: withoutDocumentation(code), map: null }),
  },
});

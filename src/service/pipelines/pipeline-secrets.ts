import type * as z from 'zod';
import { isReferable, isReference, MASK, putReferences, referencesIn } from '#contract/connection-fields.ts';
import { pipelineConfigs } from '#contract/pipeline-types.ts';
import { pointerOf } from '#contract/problem.ts';
import type { Pipeline } from '#contract/pipelines.ts';
import { invalidField } from '../http/refusal.ts';
import { targetOf } from './pipeline-target.ts';

type Config = Record<string, unknown>;
/** By the pointer into the config. */
export type Secrets = Readonly<Record<string, string>>;
type Kept = { type: string; config: Config; secrets: Secrets };
/** Variables that a config may refer to. */
export type Environment = Readonly<Record<string, string>>;

/** Headers that say nothing which others must not know; the values of all others are secrets. */
const PLAIN_HEADERS = new Set(['accept', 'accept-language', 'cache-control', 'content-type', 'user-agent']);
/** What a field is called that holds a secret, where no schema tells. */
const SECRET_NAME = /passw|secret|token|credential|authorization|api-?key/i;

const fieldsByType = new Map(
  Object.entries(pipelineConfigs).map(([type, { shape }]) => [
    type,
    new Map<string, z.ZodType>(Object.entries(shape)),
  ]),
);

const isRecord = (value: unknown): value is Config =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isSecretField = (type: string, field: string): boolean => {
  const schema = fieldsByType.get(type)?.get(field);
  return schema === undefined ? SECRET_NAME.test(field) : schema.meta()?.['writeOnly'] === true;
};

/** Replaces each secret of a config, and leaves one out for which `put` gives nothing. */
const mapSecrets = (
  type: string,
  config: Config,
  put: (pointer: string, value: unknown) => unknown,
): Config => {
  const mapped = (value: unknown, path: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((each, index) => mapped(each, [...path, String(index)]));
    if (isRecord(value))
      return Object.fromEntries(
        Object.entries(value).map(([name, each]) => [
          name,
          PLAIN_HEADERS.has(name.toLowerCase()) ? each : mapped(each, [...path, name]),
        ]),
      );
    return put(pointerOf(path), value);
  };
  return Object.fromEntries(
    Object.entries(config).map(([field, value]) => [
      field,
      isSecretField(type, field) ? mapped(value, [field]) : value,
    ]),
  );
};

/**
 * Parts a config that somebody sent from its secrets. A mask keeps the secret that is kept at its place, and only
 * for the address that it was given for: it must not be sent to another one by who does not know it.
 * @throws Refusal 422 at the secret's pointer
 */
export const partSecrets = (
  type: string,
  config: Config,
  old?: Kept,
): { config: Config; secrets: Secrets } => {
  const secrets: Record<string, string> = {};
  const target = targetOf(type, config)?.key;
  const isMoved = old !== undefined && target !== undefined && target !== targetOf(old.type, old.config)?.key;
  const masked = mapSecrets(type, config, (pointer, value) => {
    const at = `/config${pointer}`;
    if (typeof value !== 'string') throw invalidField(at, 'invalid-type', 'Must be text.');
    if (isReference(value)) return value;
    const kept = old?.secrets[pointer];
    if (value === MASK && kept === undefined)
      throw invalidField(at, 'secret-missing', `${MASK} keeps a secret, and none is kept here. Type it.`);
    if (value === MASK && isMoved)
      throw invalidField(
        at,
        'secret-moved',
        'It was kept for another address. Type it again to send it to this one.',
      );
    secrets[pointer] = value === MASK ? kept! : value;
    return MASK;
  });
  return { config: masked, secrets };
};

/** A config with its secrets, and what they refer to, in their places: only to connect with. */
export const joinSecrets = ({ type, config, secrets }: Kept, environment: Environment): Config =>
  mapSecrets(type, config, (pointer, value) => {
    const whole = secrets[pointer] ?? value;
    return typeof whole === 'string' ? putReferences(whole, (name) => environment[name]) : whole;
  });

/** References of a config that lead nowhere. */
export const referenceProblems = (
  { type, config, secrets }: Kept,
  environment: Environment,
): Pipeline['problems'] => {
  const problems: Pipeline['problems'] = [];
  mapSecrets(type, config, (pointer, value) => {
    const whole = secrets[pointer] ?? value;
    for (const name of typeof whole === 'string' ? referencesIn(whole) : [])
      if (!isReferable(name))
        problems.push({
          pointer: `/config${pointer}`,
          detail: `${name} cannot be referred to: the names of such variables begin with PENSTOCK_.`,
        });
      else if (environment[name] === undefined)
        problems.push({
          pointer: `/config${pointer}`,
          detail: `There is no environment variable ${name}. Set it and start the service again.`,
        });
    return value;
  });
  return problems;
};

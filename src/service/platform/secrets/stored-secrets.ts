import type * as z from 'zod';
import { isReference, MASK, putReferences, referencesIn } from '#contract/connection-fields.ts';
import { pointerOf } from '#contract/json-pointer.ts';
import { invalidField } from '../http/http-problem.ts';
import { referenceFault, type Environment, type ReferenceFault, type Target } from './environment.ts';
import { passwordOf, withPassword } from './url-password.ts';

export type Fields = Record<string, unknown>;
/** Secrets by their pointer into the fields. */
export type Secrets = Readonly<Record<string, string>>;

/** Masked fields and their secrets. */
export type ExtractedSecrets = { fields: Fields; secrets: Secrets };

/** The position of fields in a body, and which of them are secrets. */
export type SecretLocations = {
  /** The pointer of the fields in the body, for errors. */
  at: string;
  /** True if everything below this path is secret. */
  isSecret(path: readonly string[]): boolean;
  /** True for a URL that may contain a password. */
  isAddress?(path: readonly string[]): boolean;
};

/** The stored secrets. `isMoved`: they belong to another address than the new one. */
type StoredSecrets = { secrets: Secrets; isMoved: boolean };

/** Headers whose values are not secrets. All others are. */
const PLAIN_HEADERS = new Set(['accept', 'accept-language', 'cache-control', 'content-type', 'user-agent']);
/** Matches names of secret fields, if there is no schema. */
const SECRET_NAME = /passw|secret|token|credential|authorization|api-?key/i;

/** True if the name suggests a secret. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name);

/** True for a secret field: by its schema, or by its name without a schema. */
export const isSecretField = (
  shape: Readonly<Record<string, z.ZodType>> | undefined,
  field: string,
): boolean => {
  const schema = shape !== undefined && Object.hasOwn(shape, field) ? shape[field] : undefined;
  return schema === undefined ? isSecretName(field) : schema.meta()?.['writeOnly'] === true;
};

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Replaces each secret of the fields. */
const mapSecrets = (
  locations: SecretLocations,
  fields: Fields,
  put: (pointer: string, value: unknown) => unknown,
): Fields => {
  const masked = (value: unknown, path: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((each, index) => masked(each, [...path, String(index)]));
    if (isRecord(value))
      return Object.fromEntries(
        Object.entries(value).map(([name, each]) => [
          name,
          PLAIN_HEADERS.has(name.toLowerCase()) ? each : masked(each, [...path, name]),
        ]),
      );
    return put(pointerOf(path), value);
  };
  const walked = (value: unknown, path: readonly string[]): unknown => {
    if (locations.isSecret(path)) return masked(value, path);
    if (typeof value === 'string' && locations.isAddress?.(path) === true) {
      const password = passwordOf(value);
      if (password === undefined) return value;
      const next = put(pointerOf(path), password);
      return typeof next === 'string' ? withPassword(value, next) : value;
    }
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, walked(each, [...path, name])]),
    );
  };
  return Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, walked(each, [name])]));
};

/**
 * Separates fields from their secrets. A mask keeps the stored secret, but only for the same address, so that nobody
 * can send an unknown secret to another address.
 * @throws HttpProblem 422 at the secret's pointer
 */
export const extractSecrets = (
  locations: SecretLocations,
  sent: Fields,
  old?: StoredSecrets,
): ExtractedSecrets => {
  const secrets: Record<string, string> = {};
  const fields = mapSecrets(locations, sent, (pointer, value) => {
    const at = `${locations.at}${pointer}`;
    if (typeof value !== 'string') throw invalidField(at, 'invalid-type', 'Must be text.');
    if (isReference(value)) return value;
    const stored = old?.secrets[pointer];
    if (value === MASK && stored === undefined)
      throw invalidField(
        at,
        'secret-missing',
        `${MASK} keeps a stored secret, but there is none. Enter the secret.`,
      );
    if (value === MASK && old?.isMoved === true)
      throw invalidField(
        at,
        'secret-moved',
        'The secret was stored for another address. Enter it again to use it with this address.',
      );
    secrets[pointer] = value === MASK ? stored! : value;
    return MASK;
  });
  return { fields, secrets };
};

/** The environment variables, and the target of the connection; undefined: not known yet. */
export type ReferenceContext = { environment: Environment; target: Target | undefined };

/**
 * Fields with their secrets and resolved references. Only for connecting. A variable that may not be sent to the target
 * stays a reference.
 */
export const restoreSecrets = (
  locations: SecretLocations,
  { fields, secrets }: ExtractedSecrets,
  { environment, target }: ReferenceContext,
): Fields =>
  mapSecrets(locations, fields, (pointer, value) => {
    const whole = secrets[pointer] ?? value;
    if (typeof whole !== 'string') return whole;
    return putReferences(whole, (name) =>
      referenceFault(environment, name, target) === undefined ? environment[name] : undefined,
    );
  });

type Reference = { pointer: string; name: string };

/** The variables that secrets refer to, with the pointer of each secret. */
export const referencesOf = (
  locations: SecretLocations,
  { fields, secrets }: ExtractedSecrets,
): Reference[] => {
  const references: Reference[] = [];
  mapSecrets(locations, fields, (pointer, value) => {
    const whole = secrets[pointer] ?? value;
    for (const name of typeof whole === 'string' ? referencesIn(whole) : [])
      references.push({ pointer: `${locations.at}${pointer}`, name });
    return value;
  });
  return references;
};

/** References to variables that do not exist, or that may not be sent to the target. */
export const referenceProblems = (
  locations: SecretLocations,
  extracted: ExtractedSecrets,
  { environment, target }: ReferenceContext,
): (ReferenceFault & { pointer: string })[] =>
  referencesOf(locations, extracted).flatMap(({ pointer, name }) => {
    const fault = referenceFault(environment, name, target);
    return fault === undefined ? [] : [{ pointer, ...fault }];
  });

import * as z from 'zod';
import { destinationOptions } from '#contract/destination-types.ts';
import { targetOfUrl } from '../../platform/outbound/connection-target.ts';
import {
  isSecretField,
  restoreSecrets,
  extractSecrets,
  referenceProblems,
  referencesOf,
  type ReferenceContext,
  type SecretLocations,
  type Secrets,
} from '../../platform/secrets/stored-secrets.ts';
import { isReferenceFault, type Environment } from '../../platform/secrets/environment.ts';

/** The URL and options of a destination. Secrets are masked unless stated otherwise. */
type Connection = { url: string | null; options: Record<string, unknown> };
type Kept = Connection & { secrets: Secrets };

/** The key of the signing secret. Pointers begin with a slash, so it cannot clash with one. */
const SIGNING = 'signing';

const joinedSchema = z.object({ url: z.string().nullable(), options: z.record(z.string(), z.unknown()) });

const optionsByType = new Map<string, z.ZodObject>(Object.entries(destinationOptions));

/** Secrets are the options that the schema of the type marks as secret, and a password in the URL. */
const secretLocationsOf = (type: string): SecretLocations => {
  const shape = optionsByType.get(type)?.shape;
  return {
    at: '',
    isSecret: ([place, field, ...deeper]) =>
      place === 'options' && field !== undefined && deeper.length === 0 && isSecretField(shape, field),
    isAddress: ([place, ...deeper]) => place === 'url' && deeper.length === 0,
  };
};

/** Equal for URLs that may receive the same secrets; undefined if there is no URL. */
export const addressKeyOf = (url: string | null): string | undefined =>
  url === null ? undefined : targetOfUrl(url)?.key;

/** Separates a connection from its secrets. @throws HttpProblem 422 at the pointer of the secret */
export const extractConnectionSecrets = (type: string, { url, options }: Connection, old?: Kept): Kept => {
  const { fields, secrets } = extractSecrets(
    secretLocationsOf(type),
    { url, options },
    old === undefined
      ? undefined
      : { secrets: old.secrets, isMoved: addressKeyOf(url) !== addressKeyOf(old.url) },
  );
  const signing = old?.secrets[SIGNING];
  return {
    ...joinedSchema.parse(fields),
    secrets: signing === undefined ? secrets : { ...secrets, [SIGNING]: signing },
  };
};

const targetOf = ({ url }: Connection): ReferenceContext['target'] =>
  url === null ? undefined : targetOfUrl(url);

const contextOf = (connection: Connection, environment: Environment): ReferenceContext => ({
  environment,
  target: targetOf(connection),
});

/** The URL and options with their secrets and resolved references. Only for connecting. */
export const restoreConnection = (type: string, kept: Kept, environment: Environment): Connection => {
  const { url, options, secrets } = kept;
  return joinedSchema.parse(
    restoreSecrets(
      secretLocationsOf(type),
      { fields: { url, options }, secrets },
      contextOf(kept, environment),
    ),
  );
};

/** References to variables that do not exist or may not be sent to the address. */
export const connectionReferenceProblems = (type: string, kept: Kept, environment: Environment) => {
  const { url, options, secrets } = kept;
  return referenceProblems(
    secretLocationsOf(type),
    { fields: { url, options }, secrets },
    contextOf(kept, environment),
  );
};

/** True if the text describes a problem of a reference in this connection. */
export const isConnectionReferenceFault = (type: string, kept: Kept, detail: string): boolean => {
  const { url, options, secrets } = kept;
  const target = targetOf(kept);
  return referencesOf(secretLocationsOf(type), { fields: { url, options }, secrets }).some(({ name }) =>
    isReferenceFault(detail, name, target),
  );
};

const secretsSchema = z.record(z.string(), z.string());
export const secretsOf = (row: { secrets: string }): Secrets => secretsSchema.parse(JSON.parse(row.secrets));

/** The secret that signs requests; null: requests are not signed. */
export const signingSecretOf = (secrets: Secrets): string | null => secrets[SIGNING] ?? null;

export const withSigningSecret = (secrets: Secrets, secret: string): Secrets => ({
  ...secrets,
  [SIGNING]: secret,
});

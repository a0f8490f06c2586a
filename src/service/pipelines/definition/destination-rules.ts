import type * as z from 'zod';
import type { FieldProblem } from '#contract/problem.ts';
import { TELEMETRY } from '#contract/pipelines.ts';
import { fieldProblems } from '../../platform/http/parse-request.ts';
import { HttpProblem, invalidField } from '../../platform/http/http-problem.ts';
import type { DestinationKind } from '../destinations/destination.ts';
import { destinationKinds, findDestinationKind } from '../destinations/destination-catalogue.ts';
import { requirePermitted } from '../../platform/outbound/connection-target.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { Environment } from '../../platform/secrets/environment.ts';
import { isSecretName, type Secrets } from '../../platform/secrets/stored-secrets.ts';
import {
  addressKeyOf,
  connectionReferenceProblems,
  restoreConnection,
  extractConnectionSecrets,
} from './destination-secrets.ts';
import type { DestinationRow } from './destination-store.ts';

/** True for the built-in store. */
export const isBuiltIn = ({ type }: Pick<DestinationRow, 'type'>): boolean => type === TELEMETRY;

const inWords = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/** The kind of a destination type. @throws HttpProblem 422 at /type */
export const getKind = (type: string): DestinationKind => {
  const kind = findDestinationKind(type);
  if (kind !== undefined) return kind;
  const types = `The types are ${inWords(destinationKinds.map((each) => each.type))}.`;
  if (type.trim().toLowerCase() === TELEMETRY)
    throw invalidField(
      '/type',
      'built-in',
      `The built-in store already exists and cannot be created again. ${types}`,
    );
  throw invalidField('/type', 'unknown-type', `Unknown type. ${types}`);
};

const below = (at: string, error: z.ZodError | undefined): FieldProblem[] =>
  error === undefined
    ? []
    : fieldProblems(error).map((problem) => ({ ...problem, pointer: `${at}${problem.pointer}` }));

const optionProblems = (kind: DestinationKind, options: Record<string, unknown>): FieldProblem[] => {
  const names = Object.keys(kind.options.shape);
  return below('/options', kind.options.safeParse(options).error).map((problem) =>
    problem.code === 'unknown-field'
      ? { ...problem, detail: `Unknown option. ${kind.label} has the options ${inWords(names)}.` }
      : problem,
  );
};

const addressProblems = (kind: DestinationKind, url: string | null): FieldProblem[] => {
  if (kind.url === undefined)
    return url === null
      ? []
      : [{ pointer: '/url', code: 'superfluous', detail: `${kind.label} has no URL. Remove url.` }];
  if (url === null) return [{ pointer: '/url', code: 'missing', detail: `${kind.label} needs a URL.` }];
  return below('/url', kind.url.safeParse(url).error);
};

/** Secrets in parts of a URL that are not masked, so that everyone who sees the URL would see them. */
const credentialProblems = (kind: DestinationKind, { url, options }: ConnectionInput): FieldProblem[] => {
  if (url === null || !URL.canParse(url)) return [];
  const { username, password, searchParams } = new URL(url);
  const say = (detail: string): FieldProblem[] => [{ pointer: '/url', code: 'credentials', detail }];
  const fields = kind.options.shape;
  if ('password' in fields && [...searchParams.keys()].some(isSecretName))
    return say(
      'Do not put secrets in the query string, where everyone can see them. Use the options for secrets.',
    );
  // The form of NATS: nats://TOKEN@host.
  const isToken = username !== '' && password === '' && options['password'] === undefined;
  if ('token' in fields && isToken)
    return say(
      'A user name without a password may be a token, which everyone could see. Put it in the option token.',
    );
  return [];
};

type ConnectionInput = { url: string | null; options: Record<string, unknown> };

/**
 * Validates the URL and options of a destination and extracts the secrets.
 * @throws HttpProblem 422 at each invalid field, forbidden address, or secret of another address
 */
export const readConnection = (
  kind: DestinationKind,
  input: ConnectionInput,
  { environment, outbound }: { environment: Environment; outbound: Outbound },
  old?: ConnectionInput & { secrets: Secrets },
): ConnectionInput & { secrets: Secrets } => {
  const kept = extractConnectionSecrets(kind.type, input, old);
  const joined = restoreConnection(kind.type, kept, environment);
  const errors = [
    ...addressProblems(kind, joined.url),
    ...credentialProblems(kind, joined),
    ...optionProblems(kind, joined.options),
    ...connectionReferenceProblems(kind.type, kept, environment).map(({ pointer, detail }): FieldProblem => ({
      pointer,
      code: 'invalid-reference',
      detail,
    })),
  ];
  if (errors[0] !== undefined) throw new HttpProblem('validation-failed', errors[0].detail, { errors });
  // Other changes are accepted even if the network is no longer allowed.
  if (kept.url !== null && addressKeyOf(kept.url) !== addressKeyOf(old?.url ?? null))
    requirePermitted(outbound.findForbidden(new URL(kept.url)), '/url');
  return kept;
};

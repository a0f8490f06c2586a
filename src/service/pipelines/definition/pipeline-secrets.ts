import { pipelineConfigs } from '#contract/pipeline-types.ts';
import {
  isSecretField,
  restoreSecrets as restore,
  extractSecrets as extract,
  referenceProblems as problemsOfReferences,
  type SecretLocations,
  type Secrets,
} from '../../platform/secrets/stored-secrets.ts';
import type { Environment } from '../../platform/secrets/environment.ts';
import { targetOf } from './pipeline-target.ts';

type Config = Record<string, unknown>;
type Kept = { type: string; config: Config; secrets: Secrets };

/** Secrets are the fields that the schema of the type marks as secret. */
const secretLocationsOf = (type: string): SecretLocations => {
  const shape = new Map(Object.entries(pipelineConfigs)).get(type)?.shape;
  return {
    at: '/config',
    isSecret: ([field, ...deeper]) => deeper.length === 0 && isSecretField(shape, field!),
  };
};

/** Separates a config from its secrets. @throws HttpProblem 422 at the pointer of the secret */
export const extractSecrets = (
  type: string,
  config: Config,
  old?: Kept,
): { config: Config; secrets: Secrets } => {
  const target = targetOf(type, config)?.key;
  const isMoved = old !== undefined && target !== undefined && target !== targetOf(old.type, old.config)?.key;
  const { fields, secrets } = extract(
    secretLocationsOf(type),
    config,
    old === undefined ? undefined : { secrets: old.secrets, isMoved },
  );
  return { config: fields, secrets };
};

/** A config with its secrets and resolved references. Only for connecting. */
export const restoreSecrets = ({ type, config, secrets }: Kept, environment: Environment): Config =>
  restore(
    secretLocationsOf(type),
    { fields: config, secrets },
    { environment, target: targetOf(type, config) },
  );

/** References to variables that do not exist or may not be sent to the address. */
export const referenceProblems = ({ type, config, secrets }: Kept, environment: Environment) =>
  problemsOfReferences(
    secretLocationsOf(type),
    { fields: config, secrets },
    { environment, target: targetOf(type, config) },
  );

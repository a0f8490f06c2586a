import type { Deps } from '../../deps.ts';
import { DeliveryFailure, type OpenDestination } from '../destinations/destination.ts';
import { findDestinationKind } from '../destinations/destination-catalogue.ts';
import { openTelemetry } from '../destinations/telemetry-destination.ts';
import {
  connectionReferenceProblems,
  joinConnection,
  secretsOf,
  signingSecretOf,
} from '../definition/destination-secrets.ts';
import { isBuiltIn } from '../definition/destination-rules.ts';
import { optionsOf, type DestinationRow } from '../definition/destination-store.ts';

/**
 * Opens a destination, with its secrets and what they refer to.
 * @throws DeliveryFailure `refused` where somebody has to mend it first
 */
export const openDestination = (
  deps: Pick<Deps, 'config' | 'outbound' | 'version' | 'now' | 'ingest' | 'telemetry'>,
  row: DestinationRow,
): OpenDestination => {
  if (isBuiltIn(row)) return openTelemetry(deps.ingest, deps.telemetry);
  const { config, outbound, version, now } = deps;
  const { environment, dataDir } = config;
  const kind = findDestinationKind(row.type);
  if (kind === undefined) throw new DeliveryFailure('refused', `There is no type ${row.type} any more.`);
  const secrets = secretsOf(row);
  const kept = { url: row.url, options: optionsOf(row), secrets };
  // Variables come and go with the environment that the service is started in.
  const [missing] = connectionReferenceProblems(row.type, kept, environment);
  if (missing !== undefined) throw new DeliveryFailure('refused', missing.detail);
  const { url, options } = joinConnection(row.type, kept, environment);
  const { error } = kind.options.safeParse(options);
  if (error !== undefined)
    throw new DeliveryFailure('refused', `Its options are wrong: ${error.issues[0]?.message}`);
  return kind.open({
    destination: { id: row.id, name: row.name },
    url: url ?? undefined,
    options,
    secret: signingSecretOf(secrets),
    outbound,
    dataDir,
    version,
    now,
  });
};

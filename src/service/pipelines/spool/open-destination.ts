import { DeliveryFailure, type OpenDestination } from '../destinations/destination.ts';
import { findDestinationKind } from '../destinations/destination-catalogue.ts';
import { openTelemetry } from '../destinations/telemetry-destination.ts';
import {
  connectionReferenceProblems,
  restoreConnection,
  secretsOf,
  signingSecretOf,
} from '../definition/destination-secrets.ts';
import { isBuiltIn } from '../definition/destination-rules.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { Environment } from '../../platform/secrets/environment.ts';
import type { TelemetryStore } from '../../telemetry/store/telemetry-store.ts';
import type { Ingest } from '../../telemetry/write/ingest-samples.ts';
import { optionsOf, type DestinationRow } from '../definition/destination-store.ts';

export type OpenDestinationDependencies = {
  environment: Environment;
  dataDir: string;
  version: string;
  now: () => number;
  outbound: Outbound;
  ingest: Ingest;
  telemetry: TelemetryStore;
};

/**
 * Opens a destination with its secrets and resolved references.
 * @throws DeliveryFailure `refused` if the configuration has to be fixed first
 */
export const openDestination = (deps: OpenDestinationDependencies, row: DestinationRow): OpenDestination => {
  if (isBuiltIn(row)) return openTelemetry(deps.ingest, deps.telemetry);
  const { environment, dataDir, outbound, version, now } = deps;
  const kind = findDestinationKind(row.type);
  if (kind === undefined)
    throw new DeliveryFailure('refused', `The destination type ${row.type} no longer exists.`);
  const secrets = secretsOf(row);
  const kept = { url: row.url, options: optionsOf(row), secrets };
  // Environment variables may change with each start of the service.
  const [missing] = connectionReferenceProblems(row.type, kept, environment);
  if (missing !== undefined) throw new DeliveryFailure('refused', missing.detail);
  const { url, options } = restoreConnection(row.type, kept, environment);
  const { error } = kind.options.safeParse(options);
  if (error !== undefined)
    throw new DeliveryFailure('refused', `The options are invalid: ${error.issues[0]?.message}`);
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

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { onTestFinished } from 'vitest';
import type { ExternalTypeName } from '#contract/destination-types.ts';
import {
  DeliveryFailure,
  type Delivery,
  type SpooledSamples,
} from '#service/pipelines/destinations/destination.ts';
import { findDestinationKind } from '#service/pipelines/destinations/destination-catalogue.ts';
import { createAllowedNetworks } from '#service/platform/outbound/allowed-networks.ts';
import { createOutbound, type Lookup } from '#service/platform/outbound/outbound.ts';

export const PIPELINE = { id: 'pip_01', name: 'Plant' };
const TIMEOUT_MS = 15_000;

/** Opens a destination of a type with real connections to loopback. Closed after the test. */
export const openDestination = (
  type: ExternalTypeName,
  {
    url,
    options = {},
    secret = null,
    allowedNetworks = ['127.0.0.0/8', '::1/128'],
    id = 'dst_01',
    dataDir = '',
    now = Date.now,
    lookup,
  }: {
    url?: string;
    options?: Record<string, unknown>;
    secret?: string | null;
    allowedNetworks?: string[];
    id?: string;
    dataDir?: string;
    now?: () => number;
    lookup?: Lookup;
  },
) => {
  const kind = findDestinationKind(type);
  if (kind === undefined) throw new Error(`there is no type ${type}`);
  const outbound = createOutbound({
    allowedNetworks: createAllowedNetworks(allowedNetworks),
    ownPorts: () => [],
    lookup,
  });
  const destination = kind.open({
    destination: { id, name: 'Elsewhere' },
    url,
    options,
    secret,
    outbound,
    dataDir,
    version: '1.2.3',
    now,
  });
  onTestFinished(async () => {
    await destination.close();
    await outbound.close();
  });
  return destination;
};

export const delivery = (id: string, samples: readonly SpooledSamples[]): Delivery => ({
  id,
  pipeline: PIPELINE,
  samples,
  ids: samples.map((_, index) => `${id}_${index}`),
});

export const timeoutSignal = (ms = TIMEOUT_MS): AbortSignal => AbortSignal.timeout(ms);

/** Samples of two devices in turn, numbered. */
export const numbered = (count: number, from = 0): SpooledSamples[] =>
  Array.from({ length: count }, (_, i) => ({
    device: `pump-${(from + i) % 2}`,
    ts: 1_700_000_000_000 + from + i,
    values: { n: from + i },
  }));

/** The DeliveryFailure. Other errors fail the test. */
export const failureOf = async (work: Promise<unknown>): Promise<DeliveryFailure> => {
  const error = await work.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  if (error instanceof DeliveryFailure) return error;
  throw error;
};

/** The same in one line: `kind: message`. */
export const wordsOfFailure = async (work: Promise<unknown>): Promise<string> => {
  const { kind, message } = await failureOf(work);
  return `${kind}: ${message}`;
};

/** Trusts the certificate of the tests until the test ends, like NODE_EXTRA_CA_CERTS from the start. */
export const trustTestCertificate = (): void => {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, readFileSync(join(import.meta.dirname, 'test-cert.pem'), 'utf8')]);
  onTestFinished(() => setDefaultCACertificates(before));
};

import type * as z from 'zod';
import {
  destinationOptions,
  destinationUrls,
  type DestinationOptions,
  type ExternalTypeName,
} from '#contract/destination-types.ts';
import type { Value } from '#contract/telemetry.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';

/** Samples of a device at one time, waiting for delivery. `device`: the external ID. `ts`: epoch ms. */
export type SpooledSamples = {
  readonly device: string;
  readonly ts: number;
  readonly values: Readonly<Record<string, Value>>;
};

export const countSamples = (groups: readonly Pick<SpooledSamples, 'values'>[]): number =>
  groups.reduce((sum, { values }) => sum + Object.keys(values).length, 0);

/** Samples that are sent together, in the order of receipt. A retry has the same samples and the same ID. */
export type Delivery = {
  readonly id: string;
  readonly pipeline: { readonly id: string; readonly name: string };
  readonly samples: readonly SpooledSamples[];
  /** The ID of each group, the same in every attempt. */
  readonly ids: readonly string[];
};

/** What a destination is opened with. */
export type DestinationContext<O> = {
  readonly destination: { readonly id: string; readonly name: string };
  /** With its password; undefined if the type has no URL. */
  readonly url: string | undefined;
  /** With secrets. */
  readonly options: O;
  /** The secret that signs requests; null if the type does not sign. */
  readonly secret: string | null;
  readonly outbound: Outbound;
  readonly dataDir: string;
  readonly version: string;
  /** Epoch ms. */
  readonly now: () => number;
};

export type OpenDestination = {
  /**
   * Resolves after the destination has acknowledged every sample as stored. Deliveries of one pipeline are sequential;
   * those of several pipelines run at the same time. Connects when needed, and again after a lost connection. `signal`
   * includes the timeout: after it, the outcome is unknown. @throws DeliveryFailure
   */
  deliver(delivery: Delivery, signal: AbortSignal): Promise<void>;
  /**
   * Connects, signs in and checks whether samples would be accepted, without sending any. Returns the result in words.
   * @throws DeliveryFailure
   */
  probe(signal: AbortSignal): Promise<string>;
  /** Closes the connections. No delivery is in progress. */
  close(): Promise<void>;
};

/**
 * Why a delivery failed. `unavailable`: temporary, retried. `refused`: all deliveries fail until someone fixes the
 * cause, such as wrong credentials or a missing database. `unacceptable`: these samples are rejected; others may be
 * accepted.
 */
export class DeliveryFailure extends Error {
  override readonly name = 'DeliveryFailure';
  readonly kind: 'unavailable' | 'refused' | 'unacceptable';
  /** The wait that the destination requests before the next attempt, at most an hour. */
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: DeliveryFailure['kind'],
    detail: string,
    { retryAfterMs, ...options }: ErrorOptions & { retryAfterMs?: number | undefined } = {},
  ) {
    super(detail, options);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A type of destination: one file in `destinations/`, with the schemas of its URL and options in the contract. */
type DestinationDefinition<T extends ExternalTypeName> = {
  type: T;
  label: string;
  description: string;
  /** Requests are signed with a separate secret, which is shown once. */
  isSigned?: boolean;
  open(context: DestinationContext<DestinationOptions<T>>): OpenDestination;
};

/** A type of destination that validates its options when it opens. */
export type DestinationKind = {
  type: ExternalTypeName;
  label: string;
  description: string;
  isSigned: boolean;
  /** The schema of the URL; undefined: the type has no URL. */
  url: z.ZodType<string> | undefined;
  options: z.ZodObject;
  open(context: DestinationContext<unknown>): OpenDestination;
};

/** Connects a destination to the schemas of its type in the contract. */
export const destinationKind = <T extends ExternalTypeName>(
  definition: DestinationDefinition<T>,
): DestinationKind => {
  const { type, label, description, isSigned = false } = definition;
  const options: z.ZodObject = destinationOptions[type];
  const urls: Readonly<Record<string, z.ZodType<string>>> = destinationUrls;
  return {
    type,
    label,
    description,
    isSigned,
    url: urls[type],
    options,
    // The cast is safe: the schema of T has parsed the options of T.
    open: (context) =>
      definition.open({ ...context, options: options.parse(context.options) as DestinationOptions<T> }),
  };
};

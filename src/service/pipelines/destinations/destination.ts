import type * as z from 'zod';
import {
  destinationOptions,
  destinationUrls,
  type DestinationOptions,
  type ExternalTypeName,
} from '#contract/destination-types.ts';
import type { Value } from '#contract/telemetry.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';

/** Values of a device at a time, on their way: `device` is its external id, `ts` epoch ms. */
export type SpooledSample = {
  readonly device: string;
  readonly ts: number;
  readonly values: Readonly<Record<string, Value>>;
};

/** How many values samples hold. */
export const countValues = (samples: readonly Pick<SpooledSample, 'values'>[]): number =>
  samples.reduce((sum, { values }) => sum + Object.keys(values).length, 0);

/** Samples that go out together, in the order in which they came. Tried again it is the same, under the same id. */
export type Delivery = {
  readonly id: string;
  readonly pipeline: { readonly id: string; readonly name: string };
  readonly samples: readonly SpooledSample[];
  /** Of each sample: the same whenever it is sent, alone or with others. */
  readonly ids: readonly string[];
};

/** What a destination works with. */
export type DestinationContext<O> = {
  readonly destination: { readonly id: string; readonly name: string };
  /** With its password; undefined where the type has no address. */
  readonly url: string | undefined;
  /** With their secrets. */
  readonly options: O;
  /** What calls are signed with; null where the type signs none. */
  readonly secret: string | null;
  readonly outbound: Outbound;
  readonly dataDir: string;
  readonly version: string;
  /** Epoch ms. */
  readonly now: () => number;
};

export type OpenDestination = {
  /**
   * Resolves after the destination has said that it has every value for good. Deliveries of one pipeline come one after
   * another, of several at once. It connects by itself, and again after a connection was lost. `signal` is its patience
   * too: when it ends, the outcome counts as unknown. @throws DeliveryFailure
   */
  deliver(delivery: Delivery, signal: AbortSignal): Promise<void>;
  /** Connects, signs in and looks whether values would be taken, without sending any; says what it found. @throws DeliveryFailure */
  probe(signal: AbortSignal): Promise<string>;
  /** Ends its connections; nothing is under way. */
  close(): Promise<void>;
};

/**
 * Why a delivery failed. `unavailable`: the same is tried again; `refused`: whoever asks is turned away (credentials, no
 * such database), until somebody fixes it; `unacceptable`: these very values cannot be taken, others may be.
 */
export class DeliveryFailure extends Error {
  override readonly name = 'DeliveryFailure';
  readonly kind: 'unavailable' | 'refused' | 'unacceptable';
  /** How long the destination asks to be left alone, an hour at most. */
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

/** A type of destination: one file in `destinations/`, its address and options in the contract. */
type DestinationDefinition<T extends ExternalTypeName> = {
  type: T;
  label: string;
  description: string;
  /** Its calls are signed with a secret of its own, which is shown once. */
  isSigned?: boolean;
  open(context: DestinationContext<DestinationOptions<T>>): OpenDestination;
};

/** A type whose options are checked when it opens. */
export type DestinationKind = {
  type: ExternalTypeName;
  label: string;
  description: string;
  isSigned: boolean;
  /** What its address must be; undefined: it has none. */
  url: z.ZodType<string> | undefined;
  options: z.ZodObject;
  open(context: DestinationContext<unknown>): OpenDestination;
};

/** Ties a destination to the address and options of its type in the contract. */
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
    // The one place where generic parts meet: what T's schema parsed is T's options.
    open: (context) =>
      definition.open({ ...context, options: options.parse(context.options) as DestinationOptions<T> }),
  };
};

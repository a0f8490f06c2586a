import { failureOf, ForbiddenAddress, OutboundFailure } from '../../platform/outbound/outbound-failure.ts';
import { DeliveryFailure } from './destination.ts';

/** What a failed connection or call means for a delivery: a forbidden address is refused, anything else passes. */
export const deliveryFailureOf = (error: unknown): unknown => {
  if (!(error instanceof OutboundFailure)) return error;
  const kind = error.cause instanceof ForbiddenAddress ? 'refused' : 'unavailable';
  return new DeliveryFailure(kind, error.message, { cause: error });
};

/** Likewise for what broke outside the guard of addresses, or did not end in time. */
export const connectionFailureOf = (error: unknown, host: string, signal: AbortSignal): unknown => {
  if (error instanceof DeliveryFailure) return error;
  if (signal.aborted)
    return new DeliveryFailure('unavailable', `${host} did not answer in time.`, { cause: error });
  return deliveryFailureOf(error instanceof OutboundFailure ? error : failureOf(error, { host }, 0));
};

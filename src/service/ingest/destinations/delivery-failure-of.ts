import { ForbiddenAddress, OutboundFailure } from '../../outbound/outbound-failure.ts';
import { DeliveryFailure } from '../destination.ts';

/** What a failed connection or call means for a delivery: a forbidden address is refused, anything else passes. */
export const deliveryFailureOf = (error: unknown): unknown => {
  if (!(error instanceof OutboundFailure)) return error;
  const kind = error.cause instanceof ForbiddenAddress ? 'refused' : 'unavailable';
  return new DeliveryFailure(kind, error.message, { cause: error });
};

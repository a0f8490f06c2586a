import { failureOf, ForbiddenAddress, OutboundFailure } from '../../platform/outbound/outbound-failure.ts';
import { DeliveryFailure } from './destination.ts';

/**
 * The DeliveryFailure for a failed connection or request: `refused` for a forbidden address, otherwise `unavailable`.
 */
export const deliveryFailureOf = (error: unknown): unknown => {
  if (!(error instanceof OutboundFailure)) return error;
  const kind = error.cause instanceof ForbiddenAddress ? 'refused' : 'unavailable';
  return new DeliveryFailure(kind, error.message, { cause: error });
};

/** The same, also for connection errors and timeouts of clients with their own sockets. */
export const connectionFailureOf = (error: unknown, host: string, signal: AbortSignal): unknown => {
  if (error instanceof DeliveryFailure) return error;
  if (signal.aborted) return new DeliveryFailure('unavailable', `${host} timed out.`, { cause: error });
  return deliveryFailureOf(error instanceof OutboundFailure ? error : failureOf(error, { host }, 0));
};

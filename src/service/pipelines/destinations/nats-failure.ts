import { JetStreamApiError } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';
import { failureOf, OutboundFailure } from '../../platform/outbound/outbound-failure.ts';
import { DeliveryFailure } from './destination.ts';
import {
  isNatsRejection,
  TlsMismatch,
  describeNatsError,
  type NatsAccess,
} from '../connections/nats-connection.ts';
import { quoteAnswer } from '../connections/quote-answer.ts';
import { deliveryFailureOf } from './delivery-failure-of.ts';

/** Error codes of JetStream: https://github.com/nats-io/nats-server/blob/main/server/errors.json */
const MESSAGE_TOO_LARGE = 10_054;
const STREAM_SEALED = 10_109;
const NOT_ENABLED_FOR_ACCOUNT = 10_039;

const causesOf = (error: unknown): unknown[] =>
  error instanceof Error ? [error, ...causesOf(error.cause)] : [];

/** The DeliveryFailure for a failed connection. */
export const natsConnectFailure = (host: string, access: NatsAccess, error: unknown): unknown => {
  if (error instanceof OutboundFailure) return deliveryFailureOf(error);
  const said = (kind: DeliveryFailure['kind'], detail: string) =>
    new DeliveryFailure(kind, detail, { cause: error });
  if (isNatsRejection(error)) return said('refused', `${host} rejected the credentials.`);
  if (error instanceof errors.TimeoutError) return said('unavailable', `${host} timed out.`);
  if (error instanceof TlsMismatch) return said('refused', `${host}: ${error.message}.`);
  const coded = causesOf(error).find((each) => each instanceof Error && 'code' in each);
  if (coded !== undefined) return deliveryFailureOf(failureOf(coded, { host }, 0));
  // Without a cause, because the log would show the unfiltered response of the server.
  return new DeliveryFailure('unavailable', `${host}: ${describeNatsError(error, access)}.`);
};

/** The DeliveryFailure for a message that was not stored. */
export const natsPublishFailure = (
  host: string,
  subject: string,
  access: NatsAccess,
  error: unknown,
): DeliveryFailure => {
  // Without a cause, because the log would show the unfiltered response of the server.
  const said = (kind: DeliveryFailure['kind'], detail: string) => new DeliveryFailure(kind, detail);
  const rejections = causesOf(error);
  const violation = rejections.find((each) => each instanceof errors.PermissionViolationError);
  if (violation !== undefined) {
    const what = violation.operation === 'publish' ? 'publish' : 'subscribe';
    return said(
      'refused',
      `${host} does not allow this user to ${what} to ${quoteAnswer(violation.subject, [access.password, access.token])}.`,
    );
  }
  if (rejections.some((each) => each instanceof errors.NoRespondersError))
    return said('refused', `${host}: no stream stores ${subject}. Create a stream for it.`);
  if (error instanceof errors.TimeoutError)
    return said('unavailable', `${host} timed out before acknowledging a message.`);
  const answer = rejections.find((each) => each instanceof JetStreamApiError);
  if (answer === undefined) return said('unavailable', `${host} closed the connection.`);
  const { code } = answer;
  if (code === MESSAGE_TOO_LARGE)
    return said('unacceptable', `${host}: the message is too large for the stream of ${subject}.`);
  const kind = code === STREAM_SEALED || code === NOT_ENABLED_FOR_ACCOUNT ? 'refused' : 'unavailable';
  return said(kind, `${host} did not store a message to ${subject}: ${describeNatsError(answer, access)}.`);
};

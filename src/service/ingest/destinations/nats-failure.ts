import { JetStreamApiError } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';
import { failureOf, OutboundFailure } from '../../outbound/outbound-failure.ts';
import { DeliveryFailure } from '../destination.ts';
import { isNatsRefusal, TlsMismatch } from '../nats-connection.ts';
import { deliveryFailureOf } from './delivery-failure-of.ts';

/** Codes of JetStream's answers: https://github.com/nats-io/nats-server/blob/main/server/errors.json */
const MESSAGE_TOO_LARGE = 10_054;
const STREAM_SEALED = 10_109;
const NOT_ENABLED_FOR_ACCOUNT = 10_039;

const causesOf = (error: unknown): unknown[] =>
  error instanceof Error ? [error, ...causesOf(error.cause)] : [];

/** Why no connection came about. */
export const natsConnectFailure = (host: string, error: unknown): unknown => {
  if (error instanceof OutboundFailure) return deliveryFailureOf(error);
  const said = (kind: DeliveryFailure['kind'], detail: string) =>
    new DeliveryFailure(kind, detail, { cause: error });
  if (isNatsRefusal(error)) return said('refused', `${host} refused the credentials.`);
  if (error instanceof errors.TimeoutError) return said('unavailable', `${host} did not answer in time.`);
  if (error instanceof TlsMismatch) return said('refused', `${host}: ${error.message}.`);
  const coded = causesOf(error).find((each) => each instanceof Error && 'code' in each);
  if (coded !== undefined) return deliveryFailureOf(failureOf(coded, { host }, 0));
  return said('unavailable', `${host}: ${error instanceof Error ? error.message : String(error)}.`);
};

/** Why a message was not stored. */
export const natsPublishFailure = (host: string, subject: string, error: unknown): DeliveryFailure => {
  const said = (kind: DeliveryFailure['kind'], detail: string) =>
    new DeliveryFailure(kind, detail, { cause: error });
  const causes = causesOf(error);
  const violation = causes.find((each) => each instanceof errors.PermissionViolationError);
  if (violation !== undefined) {
    const what = violation.operation === 'publish' ? 'publish' : 'subscribe';
    return said('refused', `${host} does not let this user ${what} to ${violation.subject}.`);
  }
  if (causes.some((each) => each instanceof errors.NoRespondersError))
    return said('refused', `${host}: no stream holds ${subject}, make one.`);
  if (error instanceof errors.TimeoutError)
    return said('unavailable', `${host} did not acknowledge a message in time.`);
  const answer = causes.find((each) => each instanceof JetStreamApiError);
  if (answer === undefined) return said('unavailable', `${host} closed the connection.`);
  const { code, message } = answer;
  if (code === MESSAGE_TOO_LARGE)
    return said('unacceptable', `${host}: the stream of ${subject} does not take messages that large.`);
  const kind = code === STREAM_SEALED || code === NOT_ENABLED_FOR_ACCOUNT ? 'refused' : 'unavailable';
  return said(kind, `${host} did not store a message of ${subject}: ${message}.`);
};

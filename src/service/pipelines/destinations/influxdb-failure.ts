import type { Dispatcher } from 'undici';
import { describeStatus } from '../../platform/outbound/describe-status.ts';
import { DeliveryFailure } from './destination.ts';
import { quoteAnswer } from '../connections/quote-answer.ts';
import { retryAfterMsOf } from './retry-after.ts';

type Kind = DeliveryFailure['kind'];

/** Meanings of statuses: https://docs.influxdata.com/influxdb/v1/tools/api/ and …/v2/api/write-data/. */
const meanings: Record<number, readonly [kind: Kind, hint: string]> = {
  401: ['refused', 'the server rejects the credentials'],
  403: ['refused', 'these credentials have no write access'],
  404: ['refused', 'the database or bucket does not exist, or this is not InfluxDB'],
  408: ['unavailable', 'the server timed out'],
  413: ['unacceptable', 'the request is too large for the server'],
  422: ['unacceptable', 'the server rejects these samples'],
  429: ['unavailable', 'too many requests'],
};

/** Matches a 400 that is about the samples. Other servers answer 400 to any request. */
const ABOUT_SAMPLES = /partial write|pars|conflict|retention|field|invalid/i;

const meaningOf = (status: number, message: string): readonly [kind: Kind, hint?: string] => {
  const known = meanings[status];
  if (known !== undefined) return known;
  if (status === 400 && ABOUT_SAMPLES.test(message))
    return ['unacceptable', 'the server rejects these samples'];
  // InfluxDB answers a write with 204. A server that answers 200 to everything has stored nothing.
  if (status < 300) return ['refused', 'this is not InfluxDB, which answers 204'];
  return [status < 500 ? 'refused' : 'unavailable'];
};

/** The error message: in `error` for InfluxDB 1, in `message` for InfluxDB 2. */
const errorMessageIn = (text: string): string => {
  try {
    const answer: unknown = JSON.parse(text);
    if (typeof answer !== 'object' || answer === null) return '';
    const message = 'error' in answer ? answer.error : 'message' in answer ? answer.message : '';
    return typeof message === 'string' ? message : '';
  } catch {
    return text.startsWith('<') ? '' : text;
  }
};

/** The DeliveryFailure for the response to a write. */
export const influxdbFailure = (
  { statusCode, headers }: Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'>,
  text: string,
  { host, secrets, nowMs }: { host: string; secrets: readonly (string | undefined)[]; nowMs: number },
): DeliveryFailure => {
  const message = errorMessageIn(text);
  const [kind, hint] = meaningOf(statusCode, message);
  const words = describeStatus(statusCode);
  const parts = [`${host}: ${words.replace(/\.$/, '')}`, hint, quoteAnswer(message, secrets)];
  return new DeliveryFailure(
    kind,
    `${parts.filter((part) => part !== undefined && part !== '').join(': ')}.`,
    {
      retryAfterMs: kind === 'unavailable' ? retryAfterMsOf(headers, nowMs) : undefined,
    },
  );
};

import type { Dispatcher } from 'undici';
import { describeStatus } from '../../platform/outbound/describe-status.ts';
import { DeliveryFailure } from './destination.ts';
import { quoteAnswer } from '../connections/quote-answer.ts';
import { retryAfterMsOf } from './retry-after.ts';

type Kind = DeliveryFailure['kind'];

/** What a status means, by https://docs.influxdata.com/influxdb/v1/tools/api/ and …/v2/api/write-data/. */
const meanings: Record<number, readonly [kind: Kind, hint: string]> = {
  401: ['refused', 'the server requires other credentials'],
  403: ['refused', 'these credentials have no write access'],
  404: ['refused', 'there is no such database or bucket, or no InfluxDB at this address'],
  408: ['unavailable', 'the server timed out'],
  413: ['unacceptable', 'the request is too large for the server'],
  422: ['unacceptable', 'the server rejects these values'],
  429: ['unavailable', 'too many requests'],
};

/** Of a 400, that it is about the values: something else that listens there says it of any call. */
const ABOUT_VALUES = /partial write|pars|conflict|retention|field|invalid/i;

const meaningOf = (status: number, said: string): readonly [kind: Kind, hint?: string] => {
  const known = meanings[status];
  if (known !== undefined) return known;
  if (status === 400 && ABOUT_VALUES.test(said)) return ['unacceptable', 'the server rejects these values'];
  // Nobody but InfluxDB answers a write by 204: what says 200 to everything has stored nothing.
  if (status < 300) return ['refused', 'InfluxDB would have answered 204; something else is at this address'];
  return [status < 500 ? 'refused' : 'unavailable'];
};

/** InfluxDB 1 says it in `error`, InfluxDB 2 in `message`. */
const wordsIn = (text: string): string => {
  try {
    const answer: unknown = JSON.parse(text);
    if (typeof answer !== 'object' || answer === null) return '';
    const said = 'error' in answer ? answer.error : 'message' in answer ? answer.message : '';
    return typeof said === 'string' ? said : '';
  } catch {
    return text.startsWith('<') ? '' : text;
  }
};

/** Why a write failed, by its answer. */
export const influxdbFailure = (
  { statusCode, headers }: Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'>,
  text: string,
  { host, secrets, nowMs }: { host: string; secrets: readonly (string | undefined)[]; nowMs: number },
): DeliveryFailure => {
  const said = wordsIn(text);
  const [kind, hint] = meaningOf(statusCode, said);
  const words = describeStatus(statusCode);
  const parts = [`${host}: ${words.replace(/\.$/, '')}`, hint, quoteAnswer(said, secrets)];
  return new DeliveryFailure(
    kind,
    `${parts.filter((part) => part !== undefined && part !== '').join(': ')}.`,
    {
      retryAfterMs: kind === 'unavailable' ? retryAfterMsOf(headers, nowMs) : undefined,
    },
  );
};

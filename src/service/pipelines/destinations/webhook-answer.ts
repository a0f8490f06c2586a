import type { Dispatcher } from 'undici';
import { describeStatus } from '../../platform/outbound/describe-status.ts';
import { DeliveryFailure } from './destination.ts';
import { retryAfterMsOf } from './retry-after.ts';
import { quoteAnswer } from '../connections/quote-answer.ts';

const MAX_ANSWER_BYTES = 65_536;
const MAX_QUOTED_CHARACTERS = 200;

/** These values, or so many of them, are not taken. */
const UNACCEPTABLE = [400, 413, 415, 422];
/** Passes by itself; 409 and 423 say that a former try is not over (draft-ietf-httpapi-idempotency-key-header, 2.7). */
const PASSING = [408, 409, 423, 425, 429];

const kindOf = (status: number): DeliveryFailure['kind'] => {
  if (UNACCEPTABLE.includes(status)) return 'unacceptable';
  return status >= 500 || PASSING.includes(status) ? 'unavailable' : 'refused';
};

/** The body as far as people can read it; of a long one nothing. It throws where the body breaks off. */
const readText = async ({ headers, body }: Dispatcher.ResponseData): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) return '';
    chunks.push(chunk);
  }
  const isPlain = /^text\/plain\b/i.test(String(headers['content-type'] ?? ''));
  return isPlain && headers['content-encoding'] === undefined ? Buffer.concat(chunks).toString() : '';
};

const quote = (text: string, secrets: readonly string[]): string => {
  const line = quoteAnswer(text, secrets);
  if (line === '') return '';
  const isLong = line.length > MAX_QUOTED_CHARACTERS;
  return ` It says: “${isLong ? `${line.slice(0, MAX_QUOTED_CHARACTERS).toWellFormed()}…` : line}”.`;
};

/** Resolves where an answer says that all was taken, and has come to its end. @throws DeliveryFailure */
export const requireSuccess = async (
  answer: Dispatcher.ResponseData,
  { host, secrets, nowMs }: { host: string; secrets: readonly string[]; nowMs: number },
): Promise<void> => {
  const { statusCode: status, headers } = answer;
  const isSuccess = status >= 200 && status < 300;
  const text = await readText(answer).catch((cause: unknown) => {
    // What was taken is uncertain; what was not is told by the status alone.
    if (isSuccess)
      throw new DeliveryFailure('unavailable', `${host} broke off its answer (${status}).`, { cause });
    return '';
  });
  if (isSuccess) return;
  const words = status === 410 ? 'Answered 410 Gone: the receiver is gone for good.' : describeStatus(status);
  const kind = kindOf(status);
  throw new DeliveryFailure(kind, `${words}${quote(text, secrets)}`, {
    retryAfterMs: kind === 'unavailable' ? retryAfterMsOf(headers, nowMs) : undefined,
  });
};

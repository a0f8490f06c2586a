import type { Dispatcher } from 'undici';
import { describeAnswer } from '../../webhooks/webhook-rules.ts';
import { DeliveryFailure } from './destination.ts';
import { retryAfterMsOf } from './retry-after.ts';
import { quoteAnswer } from '../connections/quote-answer.ts';
import { shorten } from '../../platform/shorten.ts';

const MAX_ANSWER_BYTES = 65_536;
const MAX_QUOTED_CHARACTERS = 200;

/** The receiver rejects these samples, or their number. */
const UNACCEPTABLE = [400, 413, 415, 422];
/** Temporary. 409 and 423: a previous attempt is still running (draft-ietf-httpapi-idempotency-key-header, 2.7). */
const PASSING = [408, 409, 423, 425, 429];

const kindOf = (status: number): DeliveryFailure['kind'] => {
  if (UNACCEPTABLE.includes(status)) return 'unacceptable';
  return status >= 500 || PASSING.includes(status) ? 'unavailable' : 'refused';
};

/** The body if it is short plain text, otherwise an empty text. @throws if the body is incomplete */
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
  return line === '' ? '' : ` Response: “${shorten(line, MAX_QUOTED_CHARACTERS)}”.`;
};

/** Resolves if the status is a success and the body is complete. @throws DeliveryFailure */
export const requireSuccess = async (
  answer: Dispatcher.ResponseData,
  { host, secrets, nowMs }: { host: string; secrets: readonly string[]; nowMs: number },
): Promise<void> => {
  const { statusCode: status, headers } = answer;
  const isSuccess = status >= 200 && status < 300;
  const text = await readText(answer).catch((cause: unknown) => {
    // After a success status, an incomplete response leaves the outcome open. For errors the status is enough.
    if (isSuccess)
      throw new DeliveryFailure('unavailable', `The response of ${host} was incomplete (${status}).`, {
        cause,
      });
    return '';
  });
  if (isSuccess) return;
  const words = describeAnswer(status);
  const kind = kindOf(status);
  throw new DeliveryFailure(kind, `${words}${quote(text, secrets)}`, {
    retryAfterMs: kind === 'unavailable' ? retryAfterMsOf(headers, nowMs) : undefined,
  });
};

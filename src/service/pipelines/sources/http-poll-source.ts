import { failureOf, OutboundFailure } from '../../platform/outbound/outbound-failure.ts';
import { describeStatus } from '../../platform/outbound/describe-status.ts';
import { secretFinder } from '../../platform/secrets/hide-secrets.ts';
import { isSecretName } from '../../platform/secrets/stored-secrets.ts';
import { MAX_MESSAGE_BYTES } from './in-flight-window.ts';
import { quoteAnswer } from '../connections/quote-answer.ts';
import { source } from './source.ts';

/** The header that Prometheus sends (https://prometheus.io/docs/instrumenting/content_negotiation/). */
const ACCEPT =
  'application/json, application/openmetrics-text;version=1.0.0;q=0.8, text/plain;version=0.0.4;q=0.7, */*;q=0.5';

/** Causes of statuses. */
const hints: Record<number, string> = {
  401: 'the server rejects the credentials',
  403: 'these credentials have no access',
  404: 'there is no resource at this URL',
  407: 'a proxy requires credentials',
  429: 'too many requests',
};

const describePollStatus = (status: number): string => {
  const [words, hint] = [describeStatus(status), hints[status]];
  return hint === undefined ? words : `${words.slice(0, -1)}: ${hint}.`;
};

/** Reads a whole body. @throws OutboundFailure if it exceeds the limit */
const readAll = async (body: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > MAX_MESSAGE_BYTES)
      throw new OutboundFailure(
        `The response is larger than the limit of ${MAX_MESSAGE_BYTES / 1_048_576} MiB.`,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

export const httpPollSource = source({
  type: 'http-poll',
  kind: 'polled',
  label: 'Polled URL',
  description: 'Polls a URL for JSON or Prometheus text.',
  open: ({ config, outbound, signal, submit }) => {
    const url = new URL(config.url);
    const own = Object.entries(config.headers ?? {}).map(
      ([name, value]) => [name.toLowerCase(), value] as const,
    );
    const headers = { accept: ACCEPT, 'accept-encoding': 'identity', ...Object.fromEntries(own) };
    const secrets = own.filter(([name]) => name === 'cookie' || isSecretName(name)).map(([, value]) => value);
    const holdsSecret = secretFinder(secrets);
    const timeoutMs = config.timeout * 1_000;

    const get = async (): Promise<Uint8Array> => {
      const {
        statusCode,
        headers: answered,
        body,
      } = await outbound.call(url, {
        method: 'GET',
        headers,
        signal,
        timeoutMs,
      });
      try {
        if (statusCode < 200 || statusCode >= 300) throw new OutboundFailure(describePollStatus(statusCode));
        const encoding = answered['content-encoding'] ?? 'identity';
        if (encoding !== 'identity')
          throw new OutboundFailure(
            `The response is compressed (${quoteAnswer(String(encoding), secrets)}), although Penstock did not ask for compression.`,
          );
        const bytes = await readAll(body);
        if (holdsSecret(bytes))
          throw new OutboundFailure(
            'The response contains a secret from the request headers, so Penstock discarded it.',
          );
        return bytes;
      } catch (error) {
        body.on('error', () => undefined).destroy();
        throw error instanceof OutboundFailure ? error : failureOf(error, url, timeoutMs);
      }
    };

    return async () => {
      await submit({ bytes: await get(), topic: null, device: config.device });
    };
  },
});

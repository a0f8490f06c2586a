import { randomUUID } from 'node:crypto';
import { postSigned } from '../../platform/outbound/post-signed.ts';
import { DeliveryFailure, destinationKind, type Delivery } from './destination.ts';
import { deliveryFailureOf } from './delivery-failure-of.ts';
import { basicAuthorization, destinationAddress } from './destination-address.ts';
import { requireSuccess } from './webhook-answer.ts';
import { toIsoTime } from '../../platform/iso-time.ts';

const ANSWER_WITHIN_MS = 60_000;

const bodyOf = ({ pipeline: { id, name }, samples }: Delivery): string =>
  JSON.stringify({
    pipeline: { id, name },
    samples: samples.map(({ device, ts, values }) => ({ device, ts: toIsoTime(ts), values })),
  });

/** The URL and headers of requests, and the secrets in them. */
const callOf = (text: string | undefined, given: Readonly<Record<string, string>> = {}) => {
  const { url: whole, username = '', password = '' } = destinationAddress(text);
  const url = new URL(whole);
  url.username = '';
  url.password = '';
  const headers: Record<string, string> =
    username === '' && password === '' ? {} : { authorization: basicAuthorization(username, password) };
  for (const [name, value] of Object.entries(given)) headers[name.toLowerCase()] = value;
  const path = [url.pathname, ...url.pathname.split('/'), url.search, ...url.searchParams.values()];
  const secrets = [...Object.values(headers), ...path, username, password];
  return { url, headers, secrets };
};

export const webhookDestination = destinationKind({
  type: 'webhook',
  label: 'Webhook',
  description: 'Posts signed batches to a URL.',
  isSigned: true,
  open: ({ url: text, options, secret, outbound, version, now }) => {
    const { url, headers, secrets } = callOf(text, options.headers);
    const signedWith = secret === null ? [] : [secret];
    const hidden = [...secrets, ...signedWith];

    const post = async (id: string, body: string, signal: AbortSignal): Promise<number> => {
      const call = {
        url,
        id,
        body,
        atMs: now(),
        secrets: signedWith,
        version,
        headers: { ...headers, 'idempotency-key': id },
        timeoutMs: ANSWER_WITHIN_MS,
      };
      try {
        const answer = await postSigned(outbound, call, signal);
        await requireSuccess(answer, { host: url.host, secrets: hidden, nowMs: now() });
        return answer.statusCode;
      } catch (error) {
        if (!signal.aborted) throw deliveryFailureOf(error);
        throw new DeliveryFailure('unavailable', `${url.host} timed out.`, { cause: error });
      }
    };
    return {
      deliver: async (delivery, signal) => {
        await post(delivery.id, bodyOf(delivery), signal);
      },
      probe: async (signal) => {
        const body = JSON.stringify({ pipeline: null, samples: [] });
        const status = await post(`probe-${randomUUID()}`, body, signal);
        return `${url.host} answered ${status} to a signed request without samples.`;
      },
      close: () => Promise.resolve(),
    };
  },
});

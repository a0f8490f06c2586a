import { Webhook } from 'standardwebhooks';
import type { Dispatcher } from 'undici';
import type { Outbound } from './outbound.ts';

/** The prefix of secrets of Standard Webhooks, followed by base 64. */
export const SECRET_PREFIX = 'whsec_';

type SignedCall = {
  url: URL;
  /** The same for each attempt, so that receivers recognise repetitions. */
  id: string;
  /** JSON. */
  body: string;
  /** Epoch ms. */
  atMs: number;
  secrets: readonly string[];
  /** The version of this service. */
  version: string;
  /** Additional headers with lower-case names. They cannot replace the headers of the request itself. */
  headers?: Readonly<Record<string, string>>;
  timeoutMs?: number;
};

/** The headers of Standard Webhooks: receivers use them to verify the sender and the body. */
const signatureHeaders = ({ id, body, atMs, secrets }: SignedCall): Record<string, string> => {
  const at = new Date(atMs);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(atMs / 1_000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
};

/** POSTs signed JSON. The caller reads or discards the response body. @throws OutboundFailure */
export const postSigned = (
  outbound: Outbound,
  call: SignedCall,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> =>
  outbound.call(call.url, {
    method: 'POST',
    headers: {
      ...call.headers,
      'content-type': 'application/json',
      'user-agent': `Penstock/${call.version}`,
      ...signatureHeaders(call),
    },
    body: call.body,
    signal,
    ...(call.timeoutMs === undefined ? {} : { timeoutMs: call.timeoutMs }),
  });

import { Webhook } from 'standardwebhooks';
import type { Dispatcher } from 'undici';
import type { Outbound } from './outbound.ts';

/** What the secrets of Standard Webhooks begin with; base 64 follows. */
export const SECRET_PREFIX = 'whsec_';

type SignedCall = {
  url: URL;
  /** The same for each try: what a receiver knows a repetition by. */
  id: string;
  /** JSON. */
  body: string;
  /** Epoch ms. */
  atMs: number;
  secrets: readonly string[];
  /** The version of this service. */
  version: string;
  /** Further ones; those of the call itself stand before them. Their names in small letters. */
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

/** POSTs JSON, signed; the caller reads or dumps the body of the answer. @throws OutboundFailure */
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

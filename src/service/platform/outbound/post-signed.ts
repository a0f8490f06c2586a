import { createHmac } from 'node:crypto';
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

/**
 * The headers by which a receiver knows who sent a call, and that nobody changed or repeats it.
 * Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
const signatureHeaders = ({ id, body, atMs, secrets }: SignedCall): Record<string, string> => {
  const timestamp = String(Math.floor(atMs / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
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

import type { WebhookTest } from '#contract/webhooks.ts';
import type { Outbound } from '../platform/outbound/outbound.ts';
import { OutboundFailure } from '../platform/outbound/outbound-failure.ts';
import { postSigned } from '../platform/outbound/post-signed.ts';
import { wordsOfAnswer } from './webhook-rules.ts';
import { secretsOf } from './webhook-signature.ts';
import type { WebhookRow } from './webhook-store.ts';

/** Of an answer no more is read than this; nothing of it is used. */
const MAX_ANSWER_BYTES = 65_536;

/** Calls a webhook once. 2xx is success; anything else is not, in words. */
export const callWebhook = async (
  { outbound, version, now }: { outbound: Outbound; version: string; now: () => number },
  webhook: Pick<WebhookRow, 'url' | 'secret' | 'old_secret' | 'old_secret_until'>,
  { id, body }: { id: string; body: string },
  signal: AbortSignal,
): Promise<WebhookTest> => {
  const startMs = performance.now();
  const atMs = now();
  const outcome = await postSigned(
    outbound,
    { url: new URL(webhook.url), id, body, atMs, secrets: secretsOf(webhook, atMs), version },
    signal,
  ).then(
    async ({ statusCode: status, body: answer }) => {
      // Whatever becomes of the rest, the receiver has said what it thinks of the call.
      await answer.dump({ limit: MAX_ANSWER_BYTES }).catch(() => undefined);
      return { ok: status >= 200 && status < 300, status, detail: wordsOfAnswer(status) };
    },
    (error: unknown) => {
      if (!(error instanceof OutboundFailure)) throw error;
      return { ok: false, status: null, detail: error.message };
    },
  );
  return { ...outcome, ms: Math.round(performance.now() - startMs) };
};

import type { WebhookTest } from '#contract/webhooks.ts';
import type { Outbound } from '../platform/outbound/outbound.ts';
import { OutboundFailure } from '../platform/outbound/outbound-failure.ts';
import { postSigned } from '../platform/outbound/post-signed.ts';
import { describeAnswer } from './webhook-rules.ts';
import { secretsOf } from './signing-secrets.ts';
import type { WebhookRow } from './webhook-store.ts';

/** The limit of bytes to read of a response, which is discarded. */
const MAX_ANSWER_BYTES = 65_536;

/** Sends one delivery to a webhook. Returns success for 2xx, otherwise a description of the error. */
export const deliverToWebhook = async (
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
      // The status alone decides, even if the rest of the response fails.
      await answer.dump({ limit: MAX_ANSWER_BYTES }).catch(() => undefined);
      return { ok: status >= 200 && status < 300, status, detail: describeAnswer(status) };
    },
    (error: unknown) => {
      if (!(error instanceof OutboundFailure)) throw error;
      return { ok: false, status: null, detail: error.message };
    },
  );
  return { ...outcome, ms: Math.round(performance.now() - startMs) };
};

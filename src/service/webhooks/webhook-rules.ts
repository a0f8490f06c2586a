import type { WebhookState } from '#contract/webhooks.ts';
import { invalidField } from '../platform/http/http-problem.ts';
import { requirePermitted } from '../platform/outbound/connection-target.ts';
import type { Outbound } from '../platform/outbound/outbound.ts';
import { describeStatus } from '../platform/outbound/describe-status.ts';

/** The receiver does not want further deliveries. */
export const isGone = (status: number | null): boolean => status === 410;

/** Describes the status of a response. */
export const describeAnswer = (status: number): string =>
  isGone(status) ? 'Answered 410 Gone: the receiver accepts no more deliveries.' : describeStatus(status);

/** The state after a change. A new URL has not failed yet. */
export const stateAfterChange = (
  old: WebhookState,
  { enabled, isMoved }: { enabled: boolean; isMoved: boolean },
): WebhookState => {
  if (!enabled) return 'paused';
  return old === 'paused' || isMoved ? 'active' : old;
};

/** Rejects a URL that contains a password or is forbidden. @throws HttpProblem 422 */
export const requireAllowedUrl = (outbound: Outbound, text: string): void => {
  const url = new URL(text);
  if (url.username !== '' || url.password !== '')
    throw invalidField(
      '/url',
      'credentials',
      'Do not put secrets in the URL: everyone who can see the webhook can see them. Remove the user and password. Deliveries are signed.',
    );
  requirePermitted(outbound.findForbidden(url), '/url');
};

import { randomBytes } from 'node:crypto';
import { SECRET_PREFIX } from '../platform/outbound/post-signed.ts';

const SECRET_BYTES = 32;

/** A new signing secret, in the form of Standard Webhooks. */
export const newWebhookSecret = (): string =>
  `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;

/** The secrets that sign a delivery, including the old one during the overlap. */
export const secretsOf = (
  row: { secret: string; old_secret: string | null; old_secret_until: number | null },
  nowMs: number,
): string[] =>
  row.old_secret !== null && row.old_secret_until !== null && row.old_secret_until > nowMs
    ? [row.secret, row.old_secret]
    : [row.secret];

import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new signing secret, in the form of Standard Webhooks. */
export const newWebhookSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;

/** The secrets that a call is signed with: the old one too while its overlap runs. */
export const secretsOf = (
  row: { secret: string; old_secret: string | null; old_secret_until: number | null },
  nowMs: number,
): string[] =>
  row.old_secret !== null && row.old_secret_until !== null && row.old_secret_until > nowMs
    ? [row.secret, row.old_secret]
    : [row.secret];

/**
 * The headers by which a receiver knows who sent a call, and that nobody changed or repeats it.
 * Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const signatureHeaders = (
  { id, body, atMs }: { id: string; body: string; atMs: number },
  secrets: readonly string[],
): Record<string, string> => {
  const timestamp = String(Math.floor(atMs / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
};

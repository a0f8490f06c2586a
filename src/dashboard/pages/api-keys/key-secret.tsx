import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import type { MintedKey, ApiKey } from '#contract/api-keys.ts';
import { session } from '../../api/session.ts';
import { SecretView } from '../../kit/secret/secret-view.tsx';
import { useSecretOnce, type SecretViewProps } from '../../kit/secret/use-secret-once.tsx';
import { apiKeyQueries, useRotateApiKey } from '../../resources/access/api-key-queries.ts';
import { CodeBlock } from '../../ui/layout/code-block.tsx';
import type { DialogState } from '../../ui/overlays/dialog.tsx';
import { RotateSecretDialog } from '../../kit/secret/rotate-secret-dialog.tsx';

/** Shows the secret of a new key once. */
export const useKeySecret = (onClose: () => void) => {
  const { mutateAsync } = useRotateApiKey();
  return useSecretOnce<MintedKey>({
    onClose,
    need: 'You cannot use the key without it.',
    View: KeySecret,
    rotate: (id) => mutateAsync({ id, overlapSeconds: 0 }),
  });
};

/** A first request that the key can make: read the devices, or write a sample, or else read the session. */
const curlLine = ({ scopes, devices }: MintedKey, secret: string): string => {
  const line = `curl -H "Authorization: Bearer ${secret}" ${session.baseUrl()}`;
  if (scopes.includes('devices:read')) return `${line}/v1/devices`;
  if (!scopes.includes('telemetry:write')) return `${line}/v1/session`;
  return `${line}/v1/telemetry \\
  -H 'Content-Type: application/json' \\
  -d '{"samples":[{"device":"${devices?.[0] ?? 'my-device'}","values":{"temperature":21.5}}]}'`;
};

const KeySecret = ({ item: key, secret, onCopied, onUsed }: SecretViewProps<MintedKey>) => {
  const { data } = useQuery(apiKeyQueries.firstUse(key.id));
  const isUsed = data !== undefined && data.lastUsedAt !== null;
  // A client has the secret, however it got there.
  const reportUse = useEffectEvent(onUsed);
  useEffect(() => {
    if (isUsed) reportUse();
  }, [isUsed]);
  return (
    <SecretView title={`Secret for ${key.name}`} secret={secret} onCopied={onCopied}>
      <div>
        <h3 className="mb-1.5 font-medium">Try it</h3>
        <CodeBlock label="First request with curl" code={curlLine(key, secret)} onCopied={onCopied} />
      </div>
    </SecretView>
  );
};

const overlaps = [
  { value: '0', label: 'None', detail: 'The old secret stops working immediately. Use this if it leaked.' },
  { value: '3600', label: '1 hour', detail: 'You update one client now.' },
  { value: '86400', label: '1 day', detail: 'You update a few clients today.' },
  { value: '604800', label: '7 days', detail: 'You update devices one by one.' },
  { value: '2592000', label: '30 days', detail: 'Some devices are rarely online.' },
];

const endOfSession = (isAtOnce: boolean): string =>
  isAtOnce
    ? 'You are signed in with this key: this session ends immediately, and you need the new secret to sign in again.'
    : 'You are signed in with this key: this session ends with the old secret.';

type Props = { apiKey: ApiKey; isThisSession: boolean; state: DialogState };

/** Rotates the secret of a key. */
export const RotateKeyDialog = ({ apiKey, isThisSession, state }: Props) => {
  const { mutateAsync } = useRotateApiKey();
  const ownEnd = apiKey.expiresAt === null ? Infinity : Date.parse(apiKey.expiresAt);
  return (
    <RotateSecretDialog
      state={state}
      secret={useKeySecret(state.onClose)}
      rotate={(overlapSeconds) => mutateAsync({ id: apiKey.id, overlapSeconds })}
      words={{
        title: `Rotate ${apiKey.name}`,
        createdTitle: `New secret for ${apiKey.name}`,
        description: 'Creates a new secret. Name, scopes and devices stay the same.',
        overlapLabel: 'Overlap with the old secret',
        overlaps,
        action: 'Rotate',
        consequence: ({ isAtOnce, atMs, text }) =>
          [
            isAtOnce
              ? 'The old secret stops working immediately.'
              : `The old secret works until ${text(Math.min(atMs, ownEnd))}${ownEnd < atMs ? ', when it expires anyway' : ''}.`,
            ...(isThisSession ? [endOfSession(isAtOnce)] : []),
          ].join(' '),
      }}
    />
  );
};

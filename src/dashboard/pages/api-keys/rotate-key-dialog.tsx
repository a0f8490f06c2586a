import type { ApiKey } from '#contract/api-keys.ts';
import type { DialogState } from '../../kit/confirm/use-dialog.ts';
import { RotateSecretDialog } from '../../kit/secret/rotate-secret-dialog.tsx';
import { useRotateApiKey } from '../../resources/access/api-key-queries.ts';
import { useKeySecret } from './use-key-secret.tsx';

const overlaps = [
  { value: '0', label: 'None', detail: 'The old secret stops at once: for one that has leaked.' },
  { value: '3600', label: '1 hour', detail: 'For one place that you change now.' },
  { value: '86400', label: '1 day', detail: 'For a few places that you change today.' },
  { value: '604800', label: '7 days', detail: 'For devices that are reached one after another.' },
  { value: '2592000', label: '30 days', detail: 'For devices that are seldom reached.' },
];

const endOfSession = (isAtOnce: boolean): string =>
  isAtOnce
    ? 'You are signed in with this key: this session ends at once, and you need the new secret to go on.'
    : 'You are signed in with this key: this session ends with the old secret.';

type Props = { apiKey: ApiKey; isThisSession: boolean; state: DialogState };

/** Gives a key a new secret. */
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
        madeTitle: `New secret of ${apiKey.name}`,
        description: 'A new secret under the same name, with the same scopes and devices.',
        overlapLabel: 'How long the old secret still works',
        overlaps,
        action: 'Rotate',
        consequence: ({ isAtOnce, atMs, text }) =>
          [
            isAtOnce
              ? 'Whatever uses the old secret is refused from its next request on.'
              : `The old secret works until ${text(Math.min(atMs, ownEnd))}${ownEnd < atMs ? ', when it expires anyway' : ''}.`,
            ...(isThisSession ? [endOfSession(isAtOnce)] : []),
          ].join(' '),
      }}
    />
  );
};

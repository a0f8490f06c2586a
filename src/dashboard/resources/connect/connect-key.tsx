import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useRef, useState } from 'react';
import type { ApiKey, MintedKey, NewApiKey } from '#contract/api-keys.ts';
import { describeFailedChange } from '../../api/describe-failed-change.ts';
import { sessionQueries } from '../../api/session-queries.ts';
import { paths, withQuery } from '../../paths.ts';
import { nowMs } from '../../ui/browser/clock.ts';
import { useKeptFocus } from '../../ui/browser/kept-focus.ts';
import { Button } from '../../ui/controls/button.tsx';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { defaultChoice, defaultExpiry, type ExpiryLimit, ExpiryPicker } from '../access/expiry-picker.tsx';
import { useCreateApiKey } from '../access/api-key-queries.ts';
import type { ConnectKeyState } from './use-connect-key.ts';

type Props = {
  /** The key to create. */
  newKey: NewApiKey;
  /** A sentence that says what the key can do. */
  purpose: string;
  state: ConnectKeyState;
};

/** Creates the key that a device or a tool authenticates with, and shows it once. */
export const ConnectKey = ({ newKey, purpose, state }: Props) => {
  const { minted, earlier, isUsed, onCopied } = state;
  const region = useRef<HTMLDivElement>(null);
  // From the button that creates the key to the button that copies its secret.
  useKeptFocus(region, minted?.id ?? '', 'button');
  const { data: who } = useQuery(sessionQueries.who());
  const needed = ['api-keys:manage' as const, ...newKey.scopes];
  const missing = who === undefined ? [] : needed.filter((scope) => !who.scopes.includes(scope));

  if (minted === null && missing.length > 0)
    return (
      <p className="text-muted">
        You need {missing.join(' and ')} to create a key. Ask an administrator for a key with{' '}
        {newKey.scopes.join(' and ')}.
      </p>
    );
  return (
    <div ref={region} className="flex flex-col items-start gap-3">
      {minted !== null ? (
        <CreatedKey apiKey={minted} isKeyUsed={isUsed} onCopied={onCopied} />
      ) : (
        <>
          {earlier !== null && <EarlierKey apiKey={earlier} />}
          <p className="w-full wrap-anywhere text-muted">{purpose}</p>
          {who === undefined ? (
            <Skeleton className="h-37 w-full md:w-72" />
          ) : (
            <CreateKey
              newKey={newKey}
              limit={who.keysExpireBy === null ? null : Date.parse(who.keysExpireBy)}
              state={state}
            />
          )}
        </>
      )}
    </div>
  );
};

type CreateKeyProps = { newKey: NewApiKey; limit: ExpiryLimit; state: ConnectKeyState };

const CreateKey = ({ newKey, limit, state: { earlier, setMinted } }: CreateKeyProps) => {
  const create = useCreateApiKey();
  const [choice, setChoice] = useState(() => defaultChoice(limit, nowMs()));
  // Counted from the choice, so that a retry repeats the request that may have arrived.
  const [expiresAt, setExpiresAt] = useState<string | null>(() => defaultExpiry(limit, nowMs()));
  return (
    <>
      <div className="w-full md:w-72">
        <ExpiryPicker
          choice={choice}
          value={expiresAt}
          limit={limit}
          onChange={(next, value) => {
            setChoice(next);
            setExpiresAt(value);
          }}
          error={undefined}
        />
      </div>
      <Button
        variant="primary"
        icon={<KeyRound aria-hidden className="size-4" />}
        busy={create.isPending}
        disabled={expiresAt === ''}
        onClick={() => create.mutate({ ...newKey, expiresAt }, { onSuccess: setMinted })}
      >
        {earlier === null ? 'Create key' : 'Create another key'}
      </Button>
      {create.isError && <FormNotice tone="bad">{describeFailedChange(create.error)}</FormNotice>}
    </>
  );
};

const EarlierKey = ({ apiKey: { id, name, createdAt } }: { apiKey: ApiKey }) => (
  <p>
    <Link to={withQuery(paths.apiKeys, { key: id })}>{name}</Link> was created <RelativeTime at={createdAt} />
    . Its secret cannot be shown again: if you did not keep it, create another key, or rotate this one.
  </p>
);

type CreatedKeyProps = { apiKey: MintedKey; isKeyUsed: boolean; onCopied: () => void };

const CreatedKey = ({ apiKey, isKeyUsed, onCopied }: CreatedKeyProps) => (
  <div className="flex w-full flex-col items-start gap-2">
    {apiKey.secret === null ? (
      <FormNotice tone="attention">
        The key was created, but the connection was lost before its secret arrived. Reload this page and
        create another key.
      </FormNotice>
    ) : (
      <>
        <code className="block w-full rounded-md border border-hairline bg-sunken p-3 font-mono text-sm break-all select-all">
          {apiKey.secret}
        </code>
        <CopyButton variant="secondary" text={apiKey.secret} label="Copy secret" onCopied={onCopied} />
      </>
    )}
    <output className="block text-sm text-muted">
      The settings now contain the secret.
      {!isKeyUsed &&
        ' Copy the secret or a setting that contains it. If you copy neither and nothing uses the key, Penstock revokes the key when you leave.'}
    </output>
    <p className="text-sm text-muted">
      <Link to={withQuery(paths.apiKeys, { key: apiKey.id })}>{apiKey.name}</Link>
      {apiKey.expiresAt === null ? (
        ' never expires'
      ) : (
        <>
          {' '}
          expires <RelativeTime at={apiKey.expiresAt} />
        </>
      )}
    </p>
  </div>
);

import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import type { MintedKey } from '#contract/api-keys.ts';
import type { Device } from '#contract/devices.ts';
import { describeError } from '../../api/api-error.ts';
import { useCreateApiKey } from '../../resources/access/api-key-queries.ts';
import { sessionQueries } from '../../api/session-queries.ts';
import { paths, withQuery } from '../../paths.ts';
import { Button } from '../../ui/controls/button.tsx';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { RelativeTime } from '../../ui/format/relative-time.tsx';

type Props = { device: Device; minted: MintedKey | null; onMinted: (key: MintedKey) => void };

const needed = ['api-keys:manage', 'telemetry:write'] as const;
const MAX_NAME = 100;

/** Makes a key that sends telemetry of this one device and does nothing else. */
export const ConnectKey = ({ device, minted, onMinted }: Props) => {
  const { data: who } = useQuery(sessionQueries.who());
  const create = useCreateApiKey();
  const missing = who === undefined ? [] : needed.filter((scope) => !who.scopes.includes(scope));

  if (minted !== null) return <MintedHere apiKey={minted} />;
  return (
    <section aria-label="Key" className="flex flex-col items-start gap-2">
      <h3 className="font-medium">Key</h3>
      {missing.length > 0 ? (
        <p className="text-muted">
          You need {missing.join(' and ')} to create a key. Ask an administrator for a key with
          telemetry:write.
        </p>
      ) : (
        <>
          <p className="text-muted">
            Devices authenticate with an API key. This key can only send telemetry for {device.name}, and
            expires in 90 days.
          </p>
          <Button
            look="primary"
            icon={<KeyRound aria-hidden className="size-4" />}
            busy={create.isPending}
            disabled={who === undefined}
            onClick={() =>
              create.mutate(
                {
                  name: `${device.name} (Connect)`.slice(0, MAX_NAME),
                  scopes: ['telemetry:write'],
                  devices: [device.id],
                },
                { onSuccess: onMinted },
              )
            }
          >
            Create key
          </Button>
        </>
      )}
      {create.isError && <FormNotice tone="bad">{describeError(create.error).detail}</FormNotice>}
    </section>
  );
};

const MintedHere = ({ apiKey }: { apiKey: MintedKey }) => (
  <section aria-label="Key" className="flex flex-col items-start gap-2">
    <h3 className="font-medium">Key</h3>
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
        <CopyButton look="secondary" text={apiKey.secret} label="Copy key" />
      </>
    )}
    <output className="block text-sm text-muted">
      The snippets now contain the key. Copy the key or a snippet: you cannot see the key again after you
      leave this page.
    </output>
    <p className="text-sm text-muted">
      <Link to={withQuery(paths.apiKeys, { key: apiKey.id })}>{apiKey.name}</Link>
      {apiKey.expiresAt !== null && (
        <>
          {' '}
          expires <RelativeTime at={apiKey.expiresAt} />
        </>
      )}
    </p>
  </section>
);

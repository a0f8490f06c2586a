import { useQuery } from '@tanstack/react-query';
import { X, CircleCheck, KeyRound } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { MintedKey } from '#contract/api-keys.ts';
import type { Device } from '#contract/devices.ts';
import type { Value } from '#contract/telemetry.ts';
import { formatValue } from '../../charts/axes/number-format.ts';
import { serviceQueries } from '../../resources/service/service-queries.ts';
import { Failure } from '../../kit/failure.tsx';
import { CodeBlock } from '../../ui/layout/code-block.tsx';
import { cx } from '../../ui/browser/cx.ts';
import { IconButton, Button } from '../../ui/controls/button.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { connectSnippets, KEY_PLACEHOLDER, type Snippet, type SnippetName } from './connect-snippets.ts';
import { useHasScope, sessionQueries } from '../../api/session-queries.ts';
import { telemetryQueries } from '../../resources/telemetry/telemetry-queries.ts';
import { Dot } from '../../ui/feedback/state-dot.tsx';
import { describeFailedChange } from '../../api/describe-failed-change.ts';
import { revokeOnLeave, useCreateApiKey, useRevokeApiKey } from '../../resources/access/api-key-queries.ts';
import { paths, withQuery } from '../../paths.ts';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { showToast } from '../../ui/feedback/toast.ts';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { RelativeTime } from '../../ui/format/relative-time.tsx';

type Props = {
  device: Device;
  snippet: SnippetName;
  onSnippet: (name: SnippetName) => void;
  onClose: () => void;
};

/** Creates a key for this device, shows examples to paste, and reports the first message. */
export const ConnectPanel = ({ device, snippet, onSnippet, onClose }: Props) => {
  const { data: connection, error, refetch } = useQuery(serviceQueries.connection());
  const [key, setKey] = useState<MintedKey | null>(null);
  const [seenBefore] = useState(device.lastSeenAt);
  const hasArrived = device.lastSeenAt !== null && device.lastSeenAt !== seenBefore;
  const onCopied = useRevokedUnlessUsed(key, hasArrived, () => setKey(null));
  return (
    <Panel
      title="Connect"
      className={cx('mb-4', hasArrived && 'border-good!')}
      aside={<IconButton label="Close Connect" icon={<X />} onClick={onClose} />}
    >
      <div className="grid grid-cols-1 gap-x-8 gap-y-5 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <div className="flex flex-col gap-5">
          <FirstMessage device={device} hasArrived={hasArrived} />
          <ConnectKey device={device} minted={key} onMinted={setKey} onCopied={onCopied} />
        </div>
        {connection !== undefined ? (
          <div className="min-w-0">
            <Tabs
              label="Examples"
              value={snippet}
              onChange={onSnippet}
              tabs={connectSnippets({
                ...connection,
                externalId: device.externalId,
                key: key?.secret ?? KEY_PLACEHOLDER,
              }).map((each) => ({
                value: each.name,
                label: each.label,
                content: <SnippetView snippet={each} {...(key !== null && { onCopied })} />,
              }))}
            />
          </div>
        ) : error !== null ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : (
          <Skeleton className="h-40" />
        )}
      </div>
    </Panel>
  );
};

const notes: Record<SnippetName, string> = {
  curl: 'Without a timestamp, the time of arrival is used.',
  mqtt: 'MQTT 3.1.1. Requires a running pipeline that reads from the embedded broker.',
  node: 'Needs no packages.',
  python: 'Needs Python 3 and no packages.',
};

/**
 * Revokes a key that was created here if the panel or the page closes and nobody can have it: neither the key nor an
 * example with it was copied, and no message arrived. Returns a function to call when it was copied. `onRevoked`: the page
 * closed, but the browser may bring it back.
 */
const useRevokedUnlessUsed = (
  key: MintedKey | null,
  hasArrived: boolean,
  onRevoked: () => void,
): (() => void) => {
  const { mutate } = useRevokeApiKey();
  const [isCopied, setIsCopied] = useState(false);
  const unused = useRef<MintedKey | null>(null);
  useEffect(() => {
    unused.current = key === null || isCopied || hasArrived ? null : key;
  }, [key, isCopied, hasArrived]);
  const revoke = useEffectEvent(() => {
    const known = unused.current;
    if (known === null) return;
    mutate(known.id);
    showToast({ title: `Revoked ${known.name}`, detail: 'Its secret was not copied.' });
  });
  useEffect(() => () => revoke(), []);
  const revokeWithPage = useEffectEvent(() => {
    if (unused.current === null) return;
    revokeOnLeave(unused.current.id);
    onRevoked();
  });
  useEffect(() => {
    const onPageHide = () => revokeWithPage();
    window.addEventListener('pagehide', onPageHide);
    return () => window.removeEventListener('pagehide', onPageHide);
  }, []);
  return () => setIsCopied(true);
};

type SnippetViewProps = {
  snippet: Snippet;
  /** Left out: the example has no key. */
  onCopied?: () => void;
};

const SnippetView = ({ snippet, onCopied }: SnippetViewProps) =>
  snippet.code === null ? (
    <p className="text-muted">
      The embedded MQTT broker is not listening: MQTT_PORT is 0, or the port is in use. Send over HTTP
      instead.
    </p>
  ) : (
    <div className="flex flex-col gap-2">
      <CodeBlock
        label={`Send a sample with ${snippet.label}`}
        code={snippet.code}
        {...(onCopied !== undefined && { onCopied })}
      />
      <p className="text-sm text-muted">
        {onCopied === undefined && `Replace ${KEY_PLACEHOLDER} with an API key. `}
        {notes[snippet.name]}
      </p>
    </div>
  );

type FirstMessageProps = { device: Device; hasArrived: boolean };

/** Whether a message has arrived since the panel opened. */
const FirstMessage = ({ device, hasArrived }: FirstMessageProps) => (
  <output
    className={`flex items-start gap-2.5 rounded-md px-3 py-2.5 ${hasArrived ? 'bg-good-soft' : 'bg-idle-soft'}`}
  >
    {hasArrived ? (
      <>
        <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-good-text" />
        <span className="min-w-0">
          <span className="block font-medium text-good-text">Message received</span>
          <LatestValues deviceId={device.id} />
        </span>
      </>
    ) : (
      <>
        <Dot tone="idle" className="mt-1.5 animate-pulse" />
        <span>
          <span className="block font-medium">
            {device.lastSeenAt === null ? 'Waiting for the first message' : 'Waiting for the next message'}
          </span>
          <span className="text-sm text-muted">This turns green when Penstock stores a sample.</span>
        </span>
      </>
    )}
  </output>
);

const SHOWN = 3;

const valueText = (value: Value, unit: string | null): string =>
  typeof value === 'number' ? formatValue(value, { unit, decimals: null }) : String(value);

/** The latest samples of the device, for comparison with what was sent. */
const LatestValues = ({ deviceId }: { deviceId: string }) => {
  const { data } = useQuery({
    ...telemetryQueries.latest(deviceId),
    staleTime: 0,
    enabled: useHasScope('telemetry:read'),
  });
  const newest = (data?.data ?? []).toSorted((a, b) => b.ts - a.ts).slice(0, SHOWN);
  return (
    <span className="tabular text-sm break-words">
      {newest.map(({ metric, value, unit }) => `${metric} ${valueText(value, unit)}`).join(', ')}
    </span>
  );
};

type ConnectKeyProps = {
  device: Device;
  minted: MintedKey | null;
  onMinted: (key: MintedKey) => void;
  onCopied: () => void;
};

const needed = ['api-keys:manage', 'telemetry:write'] as const;
const MAX_NAME = 100;

/** Creates a key that can only send telemetry of this device. */
const ConnectKey = ({ device, minted, onMinted, onCopied }: ConnectKeyProps) => {
  const { data: who } = useQuery(sessionQueries.who());
  const create = useCreateApiKey();
  const missing = who === undefined ? [] : needed.filter((scope) => !who.scopes.includes(scope));

  if (minted !== null) return <CreatedKey apiKey={minted} onCopied={onCopied} />;
  return (
    <section aria-label="API key" className="flex flex-col items-start gap-2">
      <h3 className="font-medium">API key</h3>
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
            variant="primary"
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
      {create.isError && <FormNotice tone="bad">{describeFailedChange(create.error)}</FormNotice>}
    </section>
  );
};

const CreatedKey = ({ apiKey, onCopied }: { apiKey: MintedKey; onCopied: () => void }) => (
  <section aria-label="API key" className="flex flex-col items-start gap-2">
    <h3 className="font-medium">API key</h3>
    {apiKey.secret === null ? (
      <FormNotice tone="attention">
        The key was created, but the connection was lost before its secret arrived. Reload this page and
        create another key.
      </FormNotice>
    ) : (
      <>
        <code
          onCopy={onCopied}
          className="block w-full rounded-md border border-hairline bg-sunken p-3 font-mono text-sm break-all select-all"
        >
          {apiKey.secret}
        </code>
        <CopyButton variant="secondary" text={apiKey.secret} label="Copy secret" onCopied={onCopied} />
      </>
    )}
    <output className="block text-sm text-muted">
      The snippets now contain the secret. Copy the secret or a snippet: if you copy neither, Penstock revokes
      the key when you close Connect or this page.
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

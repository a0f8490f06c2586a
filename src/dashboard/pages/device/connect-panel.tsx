import { useQuery } from '@tanstack/react-query';
import { X, CircleCheck } from 'lucide-react';
import { useState } from 'react';
import type { MintedKey } from '#contract/api-keys.ts';
import type { Device } from '#contract/devices.ts';
import { connectionQueries } from '../../resources/devices/connection-queries.ts';
import { Failure } from '../../kit/failure.tsx';
import { CodeBlock } from '../../ui/layout/code-block.tsx';
import { cx } from '../../ui/browser/cx.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { ConnectKey } from './connect-key.tsx';
import { connectSnippets, KEY_PLACEHOLDER, type Snippet, type SnippetName } from './connect-snippets.ts';
import { useMay } from '../../api/session-queries.ts';
import { telemetryQueries } from '../../resources/telemetry/telemetry-queries.ts';
import { Dot } from '../../ui/feedback/state-dot.tsx';

type Props = {
  device: Device;
  snippet: SnippetName;
  onSnippet: (name: SnippetName) => void;
  onClose: () => void;
};

/** A key for this device alone, lines to paste, and whether anything has arrived since. */
export const ConnectPanel = ({ device, snippet, onSnippet, onClose }: Props) => {
  const { data: connection, error, refetch } = useQuery(connectionQueries.get());
  const [key, setKey] = useState<MintedKey | null>(null);
  const [seenBefore] = useState(device.lastSeenAt);
  const hasLanded = device.lastSeenAt !== null && device.lastSeenAt !== seenBefore;
  return (
    <Panel
      title="Connect"
      className={cx('mb-4', hasLanded && 'border-good!')}
      aside={<IconButton label="Close Connect" icon={<X />} onClick={onClose} />}
    >
      <div className="grid grid-cols-1 gap-x-8 gap-y-5 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <div className="flex flex-col gap-5">
          <FirstMessage device={device} hasLanded={hasLanded} />
          <ConnectKey device={device} minted={key} onMinted={setKey} />
        </div>
        {connection !== undefined ? (
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
              content: <SnippetView snippet={each} hasKey={key !== null} />,
            }))}
          />
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

const SnippetView = ({ snippet, hasKey }: { snippet: Snippet; hasKey: boolean }) =>
  snippet.code === null ? (
    <p className="text-muted">
      The embedded MQTT broker is not listening: MQTT_PORT is 0, or the port is in use. Send over HTTP
      instead.
    </p>
  ) : (
    <div className="flex flex-col gap-2">
      <CodeBlock label={`Send a sample with ${snippet.label}`} code={snippet.code} />
      <p className="text-sm text-muted">
        {!hasKey && `Replace ${KEY_PLACEHOLDER} with an API key. `}
        {notes[snippet.name]}
      </p>
    </div>
  );

type FirstMessageProps = { device: Device; hasLanded: boolean };

/** Whether a message has come since one looks here. It turns green by itself. */
const FirstMessage = ({ device, hasLanded }: FirstMessageProps) => (
  <output
    className={`flex items-start gap-2.5 rounded-md px-3 py-2.5 ${hasLanded ? 'bg-good-soft' : 'bg-idle-soft'}`}
  >
    {hasLanded ? (
      <>
        <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-good-text" />
        <span className="min-w-0">
          <span className="block font-medium text-good-text">Message received</span>
          <LandedValues deviceId={device.id} />
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

/** What the device says now, so that one sees that it is what was sent. */
const LandedValues = ({ deviceId }: { deviceId: string }) => {
  const { data } = useQuery({
    ...telemetryQueries.latest(deviceId),
    staleTime: 0,
    enabled: useMay('telemetry:read'),
  });
  const newest = (data?.data ?? []).toSorted((a, b) => b.ts - a.ts).slice(0, SHOWN);
  return (
    <span className="tabular text-sm break-words">
      {newest.map(({ metric, value, unit }) => `${metric} ${value}${unit ? ` ${unit}` : ''}`).join(', ')}
    </span>
  );
};

import { useQuery } from '@tanstack/react-query';
import { X, CircleCheck } from 'lucide-react';
import { useEffectEvent, useLayoutEffect, useState } from 'react';
import type { Device } from '#contract/devices.ts';
import { sessionQueries, useHasScope } from '../../api/session-queries.ts';
import { serviceQueries } from '../../resources/service/service-queries.ts';
import { telemetryQueries } from '../../resources/telemetry/telemetry-queries.ts';
import { useClock } from '../../ui/browser/clock.ts';
import { cx } from '../../ui/browser/cx.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { Dot } from '../../ui/feedback/state-dot.tsx';
import { paths } from '../../paths.ts';
import { Link } from '../../ui/controls/link.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { ActivityProblems } from '../../resources/connect/activity-problems.tsx';
import { ConnectKey } from '../../resources/connect/connect-key.tsx';
import { isRejecting } from '../../resources/connect/is-rejecting.ts';
import { LatestValues } from '../../resources/connect/latest-values.tsx';
import { connectTools } from '../../resources/connect/connect-tools.ts';
import { RejectedData } from '../../resources/connect/rejected-data.tsx';
import { ToolPipelines, useReceivers } from '../../resources/connect/tool-pipelines.tsx';
import { ToolSettings } from '../../resources/connect/tool-settings.tsx';
import { connectKeyName, useConnectKey } from '../../resources/connect/use-connect-key.ts';

type Props = {
  device: Device;
  toolId: string;
  onTool: (toolId: string) => void;
  /** Called once the panel has its height. */
  onReady: () => void;
  onClose: () => void;
};

/** The tools that can send with a key that is limited to one device. */
const tools = connectTools.filter(({ suitsOneDevice }) => suitsOneDevice === true);

/** Creates a key for this device, shows settings to paste, and reports the first message. */
export const ConnectPanel = ({ device, toolId, onTool, onReady, onClose }: Props) => {
  const name = connectKeyName(device.name);
  const state = useConnectKey(name);
  const { activity } = state;
  const [seenBefore] = useState(device.lastSeenAt);
  const hasArrived = device.lastSeenAt !== null && device.lastSeenAt !== seenBefore;
  const hasRejections = useClock((now) => activity !== undefined && isRejecting(activity, now));
  const tool = tools.find(({ id }) => id === toolId) ?? tools.find(({ id }) => id === 'curl');
  const needed = tool?.pipelines ?? [];
  const receivers = useReceivers(needed);
  const connection = useQuery(serviceQueries.connection());
  const who = useQuery(sessionQueries.who());
  const isReady = !connection.isPending && !who.isPending && !state.isLoading;
  const ready = useEffectEvent(onReady);
  useLayoutEffect(() => {
    if (isReady) ready();
  }, [isReady]);
  if (tool === undefined) return null;
  return (
    <Panel
      title="Connect"
      className={cx('mb-4', hasArrived && !hasRejections && 'border-good!')}
      aside={<IconButton label="Close Connect" icon={<X />} onClick={onClose} />}
    >
      <div className="grid grid-cols-1 gap-x-8 gap-y-5 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)] lg:grid-rows-[auto_1fr]">
        <section aria-label="API key" className="min-w-0">
          <h3 className="mb-2 font-medium">API key</h3>
          <ConnectKey
            newKey={{
              name,
              scopes: ['telemetry:write'],
              devices: [device.id],
            }}
            purpose={`Devices authenticate with an API key. This key can only send telemetry for ${device.name}.`}
            state={state}
          />
        </section>
        <div className="flex min-w-0 flex-col gap-4 lg:row-span-2">
          <div className="flex flex-wrap items-end gap-x-4 gap-y-2">
            <div className="w-full md:w-72">
              <Field label="Send with">
                <Select
                  value={tool.id}
                  onChange={onTool}
                  options={tools.map(({ id, label }) => ({ value: id, label }))}
                />
              </Field>
            </div>
            <Link to={paths.connect} className="md:mb-2">
              Hubs, gateways and other tools
            </Link>
          </div>
          {needed.length > 0 && <ToolPipelines needed={needed} receivers={receivers} />}
          <ToolSettings
            key={tool.id}
            tool={tool}
            target={{
              device: device.externalId,
              isOneDevice: true,
              key: state.minted?.secret ?? null,
              pipelineId: receivers.found[0]?.id,
              timeZone: receivers.timeZone,
            }}
            onCopied={state.onCopied}
          />
        </div>
        {/* Last, since its height changes when a message arrives: the key and the settings above must not move. */}
        <div className="flex min-w-0 flex-col gap-5">
          {hasRejections && activity !== undefined ? (
            <RejectedData activity={activity}>
              {hasArrived && <LatestValues deviceId={device.id} />}
            </RejectedData>
          ) : (
            <FirstMessage device={device} hasArrived={hasArrived} />
          )}
          {activity !== undefined && <ActivityProblems activity={activity} />}
        </div>
      </div>
    </Panel>
  );
};

/** Why a device that was never seen has samples. */
const StoredSamples = ({ deviceId }: { deviceId: string }) => {
  const { data } = useQuery({
    ...telemetryQueries.latest(deviceId),
    enabled: useHasScope('telemetry:read'),
  });
  // Later ones may be of the first message, which is reported a moment after its samples.
  const [hadSamples, setHadSamples] = useState<boolean>();
  if (hadSamples === undefined && data !== undefined) setHadSamples(data.data.length > 0);
  if (hadSamples !== true) return null;
  return (
    <span className="mt-1 block text-sm text-muted">
      The stored samples are from a replay, an import or a last will. Only a message that the device itself
      sends counts as seen.
    </span>
  );
};

type FirstMessageProps = { device: Device; hasArrived: boolean };

/** Whether a message has arrived since the panel opened. */
const FirstMessage = ({ device, hasArrived }: FirstMessageProps) => (
  <output
    className={`flex items-start gap-2.5 rounded-md px-3 py-2.5 ${hasArrived ? 'bg-good-soft' : 'bg-idle-soft'}`}
  >
    {hasArrived ? (
      <>
        <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-good-text" />
        <div className="min-w-0">
          <span className="block font-medium text-good-text">Message received</span>
          <LatestValues deviceId={device.id} />
        </div>
      </>
    ) : (
      <>
        <Dot tone="idle" className="mt-1.5 animate-pulse" />
        <span>
          <span className="block font-medium">
            {device.lastSeenAt === null ? 'Waiting for the first message' : 'Waiting for the next message'}
          </span>
          <span className="text-sm text-muted">
            This panel turns green when Penstock accepts a message from the device.
          </span>
          {device.lastSeenAt === null && <StoredSamples deviceId={device.id} />}
        </span>
      </>
    )}
  </output>
);

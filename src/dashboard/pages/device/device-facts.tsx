import { onlineWindowMs } from '#contract/device-presence.ts';
import type { Device } from '#contract/devices.ts';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { formatAboutSeconds, formatSeconds } from '../../ui/format/format-duration.ts';
import { KeyValueList } from '../../ui/layout/key-value-list.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { paths, withQuery } from '../../paths.ts';

const nothing = <span className="text-faint">–</span>;

/** The settings of a device. */
export const DeviceFacts = ({ device }: { device: Device | undefined }) => (
  <Panel title="Details">
    {device === undefined ? (
      <KeyValueList
        items={['External ID', 'Type', 'Tags', 'Interval', 'Late after', 'Registered', 'Updated'].map(
          (name) => ({
            name,
            value: <Skeleton className="my-1 w-28" />,
          }),
        )}
      />
    ) : (
      <Facts device={device} />
    )}
  </Panel>
);

const Facts = ({ device }: { device: Device }) => (
  <>
    {device.description !== '' && (
      <p className="mb-2 whitespace-pre-line break-words">{device.description}</p>
    )}
    <KeyValueList
      items={[
        {
          name: 'External ID',
          value: (
            <span className="flex items-center gap-1">
              <code className="min-w-0 font-mono text-sm break-all">{device.externalId}</code>
              <CopyButton text={device.externalId} label="Copy external ID" className="-my-1.5" />
            </span>
          ),
        },
        {
          name: 'Type',
          value:
            device.type === '' ? (
              nothing
            ) : (
              <Link to={withQuery(paths.devices, { type: device.type })}>{device.type}</Link>
            ),
        },
        {
          name: 'Tags',
          value: Object.keys(device.tags).length === 0 ? nothing : <LinkedTags tags={device.tags} />,
        },
        { name: 'Interval', value: <Interval device={device} /> },
        { name: 'Late after', value: formatSeconds(onlineWindowMs(device) / 1_000) },
        { name: 'Registered', value: <RelativeTime at={device.createdAt} /> },
        { name: 'Updated', value: <RelativeTime at={device.updatedAt} /> },
      ]}
    />
  </>
);

/** The tags in full, on as many lines as they need. Each links to the devices that have it. */
const LinkedTags = ({ tags }: { tags: Device['tags'] }) => (
  <span className="flex flex-wrap gap-1.5">
    {Object.entries(tags).map(([key, value]) => (
      <Link
        key={key}
        to={withQuery(paths.devices, { tag: `${key}:${value}` })}
        className="max-w-full rounded-sm border border-hairline px-1.5 text-sm leading-5 wrap-anywhere"
      >
        <span className="text-muted">{key}</span> <span>{value}</span>
      </Link>
    ))}
  </span>
);

/** Messages this much slower than configured make a device late again and again. */
const SLOW_FACTOR = 1.5;

const Interval = ({ device: { expectedInterval, learnedInterval } }: { device: Device }) => {
  if (expectedInterval !== null)
    return (
      <>
        {formatSeconds(expectedInterval)}, configured
        {learnedInterval !== null && learnedInterval > SLOW_FACTOR * expectedInterval && (
          <span className="block text-attention-text">
            Messages arrive about every {formatAboutSeconds(learnedInterval)}
          </span>
        )}
      </>
    );
  if (learnedInterval !== null) return <>{formatAboutSeconds(learnedInterval)}, learned</>;
  return <>No interval yet. Penstock learns it from messages</>;
};

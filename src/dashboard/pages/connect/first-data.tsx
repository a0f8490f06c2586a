import { CircleCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import type { KeyActivity } from '#contract/key-activity.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { paths, withQuery } from '../../paths.ts';
import { ActivityProblems } from '../../resources/connect/activity-problems.tsx';
import { LatestValues } from '../../resources/connect/latest-values.tsx';
import { isRejecting } from '../../resources/connect/is-rejecting.ts';
import { RejectedData } from '../../resources/connect/rejected-data.tsx';
import type { ConnectKeyState } from '../../resources/connect/use-connect-key.ts';
import { describeFormat } from '../../resources/pipelines/describe-format.ts';
import { useClock } from '../../ui/browser/clock.ts';
import { cx } from '../../ui/browser/cx.ts';
import { Link, LinkButton } from '../../ui/controls/link.tsx';
import { Dot } from '../../ui/feedback/state-dot.tsx';
import { plural } from '../../ui/format/format-number.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { Panel } from '../../ui/layout/panel.tsx';

const SHOWN_DEVICES = 5;

type Props = { state: ConnectKeyState };

/** Waits for data with the key. Shows the detected formats and devices, or the problems to fix. */
export const FirstData = ({ state: { minted, earlier, activity } }: Props) => {
  const hasKey = minted !== null || earlier !== null;
  const hasArrived = activity !== undefined && activity.received > activity.rejected;
  const hasRejections = useClock((now) => activity !== undefined && isRejecting(activity, now));
  const isGood = hasArrived && !hasRejections;
  return (
    <Panel title="First data" className={cx('sticky top-4', isGood && 'border-good!')}>
      <div className="flex flex-col gap-4">
        {hasRejections && activity !== undefined ? (
          <RejectedData activity={activity} />
        ) : (
          <output
            className={cx(
              'flex items-start gap-2.5 rounded-md px-3 py-2.5',
              isGood ? 'bg-good-soft' : 'bg-idle-soft',
            )}
          >
            {isGood ? (
              <>
                <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-good-text" />
                <StatusText title="Data received" tone="text-good-text">
                  {plural(activity.received - activity.rejected, 'sample')} from{' '}
                  {plural(activity.deviceCount, 'device')}
                  {activity.rejected > 0 && `, ${plural(activity.rejected, 'sample')} rejected earlier`}
                </StatusText>
              </>
            ) : (
              <>
                <Dot tone="idle" className={cx('mt-1.5', hasKey && 'animate-pulse')} />
                <Waiting hasKey={hasKey} activity={activity} />
              </>
            )}
          </output>
        )}
        {earlier !== null && <p className="text-sm text-muted">Key: {earlier.name}</p>}
        {hasArrived && <DetectedData activity={activity} />}
        {activity !== undefined && <ActivityProblems activity={activity} />}
        {hasKey && !hasArrived && <Hints />}
      </div>
    </Panel>
  );
};

const StatusText = ({ title, tone, children }: { title: string; tone?: string; children: ReactNode }) => (
  <span className="min-w-0">
    <span className={cx('block font-medium', tone)}>{title}</span>
    <span className="tabular block text-sm break-words text-muted">{children}</span>
  </span>
);

type WaitingProps = { hasKey: boolean; activity: KeyActivity | undefined };

const Waiting = ({ hasKey, activity }: WaitingProps) => {
  if (!hasKey)
    return (
      <StatusText title="No key yet">
        Create a key. Penstock then waits for the first message sent with it.
      </StatusText>
    );
  if (activity === undefined || activity.lastUsedAt === null)
    return (
      <StatusText title="Waiting for the first message">
        Apply the settings. This panel turns green when samples arrive.
      </StatusText>
    );
  if (activity.lastUsedAt < activity.since)
    return (
      <StatusText title="Waiting for the next message">
        The key was last used from {activity.lastUsedFrom} <RelativeTime at={activity.lastUsedAt} />.
      </StatusText>
    );
  return (
    <StatusText title="Connected, no samples yet">
      The key was used from {activity.lastUsedFrom} <RelativeTime at={activity.lastUsedAt} />.
      {activity.skipped > 0 && ` ${plural(activity.skipped, 'message')} without samples arrived.`}
    </StatusText>
  );
};

/** The detected formats and devices, with a link to their charts. */
const DetectedData = ({ activity: { formats, devices, deviceCount } }: { activity: KeyActivity }) => {
  const canRead = useHasScope('telemetry:read');
  const shown = devices.slice(0, SHOWN_DEVICES);
  return (
    <>
      <dl>
        <dt className="text-sm text-muted">{formats.length === 1 ? 'Format' : 'Formats'}</dt>
        {formats.map(({ format, pipeline }) => (
          <dd key={`${format} ${pipeline?.id}`} className="break-words">
            {describeFormat(format)}
            {pipeline !== null && (
              <span className="text-muted">
                {' '}
                in <Link to={paths.pipeline(pipeline.id)}>{pipeline.name}</Link>
              </span>
            )}
          </dd>
        ))}
      </dl>
      {shown.length > 0 && (
        <ul className="divide-y divide-hairline rounded-md border border-hairline">
          {shown.map(({ id, name }) => (
            <li key={id} className="px-3 py-2">
              <Link to={paths.device(id)} className="font-medium break-words">
                {name}
              </Link>
              <LatestValues deviceId={id} />
            </li>
          ))}
        </ul>
      )}
      {deviceCount > shown.length && shown.length > 0 && (
        <p className="text-sm text-muted">and {plural(deviceCount - shown.length, 'more device')}</p>
      )}
      {canRead && shown.length > 0 && (
        <div>
          <LinkButton
            variant="primary"
            to={withQuery(paths.telemetry, { device: shown.map(({ id }) => id), range: '15m' })}
          >
            Open chart
          </LinkButton>
        </div>
      )}
    </>
  );
};

/** Hints while no data arrives. Problems that Penstock detects are in `ActivityProblems`. */
const Hints = () => (
  <details className="text-sm">
    <summary className="cursor-pointer rounded-sm font-medium">No data arriving?</summary>
    <ul className="mt-1.5 flex flex-col gap-1 text-muted">
      <li>
        Rejected connections, rejected samples and topics without a pipeline appear here as they happen.
      </li>
      <li>
        If nothing appears, the messages do not reach this server: check the address, the port and firewalls.
      </li>
      <li>Many tools send only when a value changes, or after a restart.</li>
    </ul>
  </details>
);

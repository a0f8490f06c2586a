import { useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import type { KeyActivity } from '#contract/key-activity.ts';
import type { Value } from '#contract/telemetry.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { formatValue } from '../../charts/axes/number-format.ts';
import { paths, withQuery } from '../../paths.ts';
import { ActivityProblems } from '../../resources/connect/activity-problems.tsx';
import { formatName } from '../../resources/pipelines/format-name.ts';
import { telemetryQueries } from '../../resources/telemetry/telemetry-queries.ts';
import { cx } from '../../ui/browser/cx.ts';
import { Link, LinkButton } from '../../ui/controls/link.tsx';
import { Dot } from '../../ui/feedback/state-dot.tsx';
import { plural } from '../../ui/format/format-number.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { Panel } from '../../ui/layout/panel.tsx';

const SHOWN_DEVICES = 5;
const SHOWN_METRICS = 6;
const LATEST_EVERY_MS = 5_000;

type Props = { hasKey: boolean; activity: KeyActivity | undefined };

/** Waits for what arrives with the key, and says what was recognised, or what to check. */
export const FirstData = ({ hasKey, activity }: Props) => {
  const hasArrived = activity !== undefined && activity.received > activity.rejected;
  return (
    <Panel title="First data" className={cx('sticky top-4', hasArrived && 'border-good!')}>
      <div className="flex flex-col gap-4">
        <output
          className={cx(
            'flex items-start gap-2.5 rounded-md px-3 py-2.5',
            hasArrived ? 'bg-good-soft' : 'bg-idle-soft',
          )}
        >
          {hasArrived ? (
            <>
              <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-good-text" />
              <Progress title="Data received" tone="text-good-text">
                {plural(activity.received - activity.rejected, 'sample')} of{' '}
                {plural(activity.deviceCount, 'device')}
              </Progress>
            </>
          ) : (
            <>
              <Dot tone="idle" className={cx('mt-1.5', hasKey && 'animate-pulse')} />
              <Waiting hasKey={hasKey} activity={activity} />
            </>
          )}
        </output>
        {hasArrived && <Recognised activity={activity} />}
        {activity !== undefined && <ActivityProblems activity={activity} />}
        {hasKey && !hasArrived && <Checks />}
      </div>
    </Panel>
  );
};

const Progress = ({ title, tone, children }: { title: string; tone?: string; children: ReactNode }) => (
  <span className="min-w-0">
    <span className={cx('block font-medium', tone)}>{title}</span>
    <span className="tabular block text-sm break-words text-muted">{children}</span>
  </span>
);

const Waiting = ({ hasKey, activity }: Props) => {
  if (!hasKey)
    return (
      <Progress title="No key yet">Create a key. Penstock then waits for the first message with it.</Progress>
    );
  if (activity === undefined || activity.lastUsedAt === null)
    return (
      <Progress title="Waiting for the first message">
        Apply the settings. This turns green when samples arrive.
      </Progress>
    );
  return (
    <Progress title="Connected, no samples yet">
      The key was used from {activity.lastUsedFrom} <RelativeTime at={activity.lastUsedAt} />.
      {activity.skipped > 0 && ` ${plural(activity.skipped, 'message')} without samples arrived.`}
    </Progress>
  );
};

/** The formats and devices that were recognised, and the way to their charts. */
const Recognised = ({ activity: { formats, devices, deviceCount } }: { activity: KeyActivity }) => {
  const canRead = useHasScope('telemetry:read');
  const shown = devices.slice(0, SHOWN_DEVICES);
  return (
    <>
      <dl>
        <dt className="text-sm text-muted">{formats.length === 1 ? 'Format' : 'Formats'}</dt>
        {formats.map(({ format, pipeline }) => (
          <dd key={`${format} ${pipeline?.id}`} className="break-words">
            {formatName(format)}
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
              {canRead && <LatestValues deviceId={id} />}
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

const valueText = (value: Value, unit: string | null): string =>
  typeof value === 'number' ? formatValue(value, { unit, decimals: null }) : String(value);

/** The latest values of a device, to compare with what was sent. */
const LatestValues = ({ deviceId }: { deviceId: string }) => {
  const { data } = useQuery({ ...telemetryQueries.latest(deviceId), refetchInterval: LATEST_EVERY_MS });
  const latest = data?.data ?? [];
  const shown = latest.slice(0, SHOWN_METRICS);
  return (
    <dl className="tabular mt-1 text-sm">
      {shown.map(({ metric, value, unit }) => (
        <div key={metric} className="flex justify-between gap-3">
          <dt className="min-w-0 break-words text-muted">{metric}</dt>
          <dd className="text-right break-words">{valueText(value, unit)}</dd>
        </div>
      ))}
      {latest.length > shown.length && (
        <dt className="text-muted">and {plural(latest.length - shown.length, 'more metric')}</dt>
      )}
    </dl>
  );
};

/** What to look at while nothing arrives. What Penstock knows is listed as a problem instead. */
const Checks = () => (
  <details className="text-sm">
    <summary className="cursor-pointer rounded-sm font-medium">Nothing arrives?</summary>
    <ul className="mt-1.5 flex flex-col gap-1 text-muted">
      <li>Refused connections, rejected samples and topics without a pipeline appear here as they happen.</li>
      <li>
        If nothing appears, the messages do not reach this server: check the address, the port and firewalls.
      </li>
      <li>Many tools send only when a value changes, or after a restart.</li>
    </ul>
  </details>
);

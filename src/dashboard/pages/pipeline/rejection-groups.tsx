import type { ReactNode } from 'react';
import type { RejectionGroups as RejectionCounts } from '#contract/rejections.ts';
import type { RejectionFilter } from '../../resources/pipelines/rejection-queries.ts';
import { reasonInWords } from '#contract/rejection-reason.ts';
import { SendersText } from '../../resources/pipelines/senders-text.tsx';
import { cx } from '../../ui/browser/cx.ts';
import { formatCount } from '../../ui/format/format-number.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';

type Counts = RejectionCounts['data'];

type Props = {
  reasons: Counts;
  /** By reason and device. */
  devices: Counts;
  chosen: RejectionFilter;
  onChoose: (name: keyof RejectionFilter, value: string | null) => void;
};

type Group = { key: string; label: string; count: number; lastAt: string; sentBy?: ReactNode };

/** The counts of each device over all reasons, or for the chosen one. */
const groupsOfDevices = (devices: Counts, reason: string | null): Group[] => {
  const chosen = devices.filter((group) => reason === null || group.reason === reason);
  return [...Map.groupBy(chosen, ({ device }) => device ?? null)]
    .flatMap(([device, alike]) =>
      device === null
        ? []
        : [
            {
              key: device,
              label: device,
              count: alike.reduce((sum, { count }) => sum + count, 0),
              lastAt:
                alike
                  .map(({ lastAt }) => lastAt)
                  .toSorted()
                  .at(-1) ?? '',
            },
          ],
    )
    .toSorted((a, b) => b.count - a.count);
};

/** Rejected samples by reason and by device, the most common first. Each group filters the rejections. */
export const RejectionGroups = ({ reasons, devices, chosen, onChoose }: Props) => {
  const ofDevices = groupsOfDevices(devices, chosen.reason);
  return (
    <div
      className={cx('grid grid-cols-1 gap-x-4 gap-y-2 px-2 pb-2', ofDevices.length > 0 && 'md:grid-cols-2')}
    >
      <GroupList
        label="Reasons"
        groups={reasons.map(({ reason, count, lastAt, senders = [], senderCount = 0 }) => ({
          key: reason,
          label: reasonInWords(reason),
          count,
          lastAt,
          sentBy: senderCount > 0 && <SendersText senders={senders} count={senderCount} />,
        }))}
        chosen={chosen.reason}
        onChoose={(value) => onChoose('reason', value)}
      />
      {ofDevices.length > 0 && (
        <GroupList
          label="Devices"
          groups={ofDevices}
          chosen={chosen.device}
          onChoose={(value) => onChoose('device', value)}
        />
      )}
    </div>
  );
};

type GroupListProps = {
  label: string;
  groups: readonly Group[];
  chosen: string | null;
  onChoose: (key: string | null) => void;
};

/** Choosing the chosen group again shows all. */
const GroupList = ({ label, groups, chosen, onChoose }: GroupListProps) => (
  <div className="min-w-0">
    <h3 aria-hidden className="px-2 py-1 text-sm text-muted">
      {label}
    </h3>
    <ul aria-label={label} className="max-h-60 overflow-y-auto">
      {groups.map(({ key, label: name, count, lastAt, sentBy }) => (
        <li key={key}>
          <div className="flex items-center gap-3 pr-2">
            <button
              type="button"
              aria-pressed={key === chosen}
              onClick={() => onChoose(key === chosen ? null : key)}
              className={cx(
                'flex min-h-8 min-w-0 flex-1 items-center gap-3 rounded-sm px-2 py-1 text-left hover:bg-hover touch:min-h-11',
                key === chosen && 'bg-accent-soft font-medium',
              )}
            >
              <span className="min-w-0 flex-1 wrap-anywhere">{name}</span>
              <span className="tabular">
                {formatCount(count)}
                <span className="sr-only"> {count === 1 ? 'sample' : 'samples'}</span>
              </span>
            </button>
            <RelativeTime at={lastAt} className="w-20 text-right text-sm text-muted" />
          </div>
          {sentBy && <p className="px-2 pb-1.5 text-sm break-words text-muted">{sentBy}</p>}
        </li>
      ))}
    </ul>
  </div>
);

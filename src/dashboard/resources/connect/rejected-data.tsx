import type { ReactNode } from 'react';
import type { KeyActivity } from '#contract/key-activity.ts';
import { paths } from '../../paths.ts';
import { Link } from '../../ui/controls/link.tsx';
import { Dot } from '../../ui/feedback/state-dot.tsx';
import { plural } from '../../ui/format/format-number.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';

type Props = { activity: KeyActivity; children?: ReactNode };

/** The numbers of accepted and rejected samples of a key, with a link to the rejections. */
export const RejectedData = ({ activity, children }: Props) => {
  const { received, rejected, deviceCount, rejections } = activity;
  const accepted = received - rejected;
  const latest = rejections[0];
  const pipeline = rejections.find((each) => each.pipeline !== null)?.pipeline;
  const counts = [
    ...(accepted > 0 ? [`${plural(accepted, 'sample')} from ${plural(deviceCount, 'device')} accepted`] : []),
    ...(rejected > 0 ? [`${plural(rejected, 'sample')} rejected`] : []),
  ];
  return (
    <output className="flex items-start gap-2.5 rounded-md bg-attention-soft px-3 py-2.5">
      <Dot tone="attention" className="mt-1.5" />
      <div className="min-w-0">
        <span className="block font-medium text-attention-text">
          {accepted > 0 ? 'Some data is rejected' : 'All data is rejected'}
        </span>
        {counts.length > 0 && (
          <span className="tabular block text-sm break-words text-muted">{counts.join(', ')}</span>
        )}
        {latest !== undefined && (
          <span className="block text-sm text-muted">
            Last rejection: <RelativeTime at={latest.lastAt} />
          </span>
        )}
        {pipeline != null && <Link to={paths.pipeline(pipeline.id)}>Rejections of {pipeline.name}</Link>}
        {children}
      </div>
    </output>
  );
};

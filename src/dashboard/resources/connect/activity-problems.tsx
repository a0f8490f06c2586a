import type { ReactNode } from 'react';
import type { KeyActivity } from '#contract/key-activity.ts';
import { paths, withQuery } from '../../paths.ts';
import { Link } from '../../ui/controls/link.tsx';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { reasonInWords } from '#contract/rejection-reason.ts';

const SHOWN = 3;

const clientRejections: Record<string, string> = {
  'token-missing': 'Request without an API key',
  'token-invalid': 'Unknown API key',
  'token-expired': 'Expired API key',
  'token-revoked': 'Revoked API key',
  'insufficient-scope': 'API key without telemetry:write',
  'foreign-device': 'User name is not a device of this key',
  'protocol-version': 'Unsupported MQTT version',
  'quota-exceeded': 'Too many unknown API keys',
  'topic-forbidden': 'Topic not allowed for this key',
};

const titleOf = (reason: string): string => clientRejections[reason] ?? reasonInWords(reason);

/** Rejected connections, rejected samples and unrouted topics: the reasons why sent data is missing. */
export const ActivityProblems = ({ activity }: { activity: KeyActivity }) => {
  const { refused, rejections, unrouted } = activity;
  if (refused.length + rejections.length + unrouted.length === 0) return null;
  return (
    <div className="flex flex-col gap-4">
      {rejections.length > 0 && (
        <Problems title="Rejected">
          {rejections.slice(0, SHOWN).map(({ reason, detail, pipeline, lastAt }) => (
            <Problem key={`${reason} ${pipeline?.id}`} title={titleOf(reason)} at={lastAt} detail={detail}>
              {pipeline !== null && (
                <Link to={paths.pipeline(pipeline.id)}>Rejections of {pipeline.name}</Link>
              )}
            </Problem>
          ))}
        </Problems>
      )}
      {refused.length > 0 && (
        <Problems title="Rejected connections">
          {refused.slice(0, SHOWN).map(({ from, reason, detail, at }) => (
            <Problem
              key={`${from} ${reason}`}
              title={`${titleOf(reason)}, from ${from}`}
              at={at}
              detail={detail}
            />
          ))}
        </Problems>
      )}
      {unrouted.length > 0 && (
        <Problems title="Received, but no pipeline reads these topics">
          {unrouted.slice(0, SHOWN).map(({ topic, lastAt }) => (
            <Problem key={topic} title={topic} at={lastAt}>
              <Link to={withQuery(paths.newPipeline, { topic })}>Create pipeline from this topic</Link>
            </Problem>
          ))}
        </Problems>
      )}
    </div>
  );
};

const Problems = ({ title, children }: { title: string; children: ReactNode }) => (
  <section aria-label={title}>
    <h3 className="mb-1 font-medium">{title}</h3>
    <ul className="divide-y divide-hairline rounded-md border border-hairline">{children}</ul>
  </section>
);

type ProblemProps = { title: string; at: string; detail?: string; children?: ReactNode };

const Problem = ({ title, at, detail, children }: ProblemProps) => (
  <li className="px-3 py-2 text-sm">
    <span className="flex flex-wrap items-baseline justify-between gap-x-3">
      <span className="min-w-0 font-medium break-words text-attention-text">{title}</span>
      <span className="text-muted">
        <RelativeTime at={at} />
      </span>
    </span>
    {detail !== undefined && <span className="block break-words text-muted">{detail}</span>}
    {children}
  </li>
);

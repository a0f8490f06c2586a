import type { Rejection } from '#contract/pipelines.ts';
import { paths } from '../../paths.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { plural } from '../../ui/format-number.ts';
import { Link } from '../../ui/link.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { reasonInWords } from './rejection-reason.ts';
import { ReplayButton } from './replay-button.tsx';

type Props = { rejection: Rejection; pipelineId: string; mayReplay: boolean };

/** One message, or a part of it, that was not taken: why, when, from where, and its text. */
export const RejectionItem = ({ rejection, pipelineId, mayReplay }: Props) => {
  const { reason, detail, at, topic, message, values } = rejection;
  return (
    <li className="px-4 py-3">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-medium text-bad-text">{reasonInWords(reason)}</span>
        <span className="text-sm text-muted">{plural(values, 'value')}</span>
        <RelativeTime at={at} className="ml-auto text-sm text-muted" />
      </div>
      <p className="break-words">{detail}</p>
      {topic !== null && (
        <p className="text-sm text-muted">
          Topic <code className="font-mono break-all">{topic}</code>
        </p>
      )}
      <div className="relative mt-2 rounded-md border border-hairline bg-sunken">
        <pre
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable
          tabIndex={0}
          className="max-h-40 overflow-y-auto rounded-md p-3 pr-12 font-mono text-sm leading-5 break-words whitespace-pre-wrap"
        >
          {message === '' ? <span className="text-faint">(empty)</span> : message}
        </pre>
        {message !== '' && (
          <CopyButton text={message} label="Copy the message" className="absolute top-1 right-1 bg-sunken" />
        )}
      </div>
      <div className="mt-1.5 flex flex-wrap items-center gap-3">
        <Link
          to={paths.editPipeline(pipelineId)}
          state={{ message, topic: topic ?? '' }}
          className="inline-block text-sm"
        >
          Try it in the preview
        </Link>
        {mayReplay && (
          <ReplayButton pipelineId={pipelineId} choice={{ ids: [rejection.id] }} label="Replay" />
        )}
      </div>
    </li>
  );
};

import type { Pipeline } from '#contract/pipelines.ts';
import type { Rejection } from '#contract/rejections.ts';
import { paths, withQuery } from '../../paths.ts';
import { TRUNCATED_NOTE, MessageText } from '../../resources/pipelines/message-text.tsx';
import type { RejectionFilter } from '../../resources/pipelines/rejection-queries.ts';
import { SendersText } from '../../resources/pipelines/senders-text.tsx';
import { formatCount } from '../../ui/format/format-number.ts';
import { Link, LinkButton } from '../../ui/controls/link.tsx';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { ReplayButton } from './replay-button.tsx';
import { choiceWithin, targetInAddress } from '../../resources/pipelines/replay-choice.ts';

type Props = {
  rejection: Rejection;
  pipeline: Pick<Pipeline, 'id' | 'destination'>;
  canReplay: boolean;
  /** The filter of the list. A replay in a group starts with the whole group. */
  filter: RejectionFilter;
};

/** The detail of a rejection, and its message. */
export const RejectionItem = ({ rejection, pipeline, canReplay, filter }: Props) => {
  const { id, reason, detail, device, defaultDevice, sender, topic, message } = rejection;
  const { count, firstAt, whole, mapped, truncated } = rejection;
  const origin = { id, reason, device };
  const target = { choice: choiceWithin(origin, filter), origin };
  return (
    <div className="px-4 py-3">
      {count > 1 && (
        <p className="text-sm text-muted">
          {formatCount(count)} times, first <RelativeTime at={firstAt} />
        </p>
      )}
      <p className="break-words">{detail}</p>
      {device !== null && (
        <p className="text-sm text-muted">
          Device <span className="break-all">{device}</span>
        </p>
      )}
      {sender !== null && (
        <p className="text-sm break-words text-muted">
          <SendersText senders={[sender]} count={1} />
          {sender.username !== null && `, MQTT user ${sender.username}`}
        </p>
      )}
      {topic !== null && (
        <p className="text-sm text-muted">
          Topic <code className="font-mono break-all">{topic}</code>
        </p>
      )}
      <div className="mt-2">
        <MessageText message={message} />
      </div>
      {count > 1 && whole && (
        <p className="mt-1.5 text-sm text-muted">
          Each poll returned the same rejected lines. A replay processes the lines of the last poll.
        </p>
      )}
      {truncated && (
        <p className="mt-1.5 text-sm text-muted">
          {TRUNCATED_NOTE}
          {whole && ' A replay reads the whole message.'}
        </p>
      )}
      {!whole && truncated ? (
        <p className="mt-1.5 text-sm text-muted">Cannot be replayed: the message is not stored in full.</p>
      ) : !whole ? (
        <p className="mt-1.5 text-sm text-muted">
          Cannot be replayed: the source did not return these values.{' '}
          {canReplay && <Link to={paths.editPipeline(pipeline.id)}>Edit pipeline</Link>}
        </p>
      ) : (
        canReplay && (
          <div className="mt-1 -mb-1 -ml-3 flex flex-wrap items-center">
            {!mapped && (
              <LinkButton
                variant="quiet"
                to={withQuery(paths.editPipeline(pipeline.id), targetInAddress(target))}
                {...(!truncated && { state: { message, topic: topic ?? '', device: defaultDevice ?? '' } })}
              >
                Fix and replay
              </LinkButton>
            )}
            <ReplayButton variant="quiet" pipeline={pipeline} target={target}>
              Replay…
            </ReplayButton>
            {mapped && (
              <span className="min-w-48 flex-1 text-sm text-muted">
                Already mapped: a replay sends the samples to {pipeline.destination} unchanged.
              </span>
            )}
          </div>
        )
      )}
    </div>
  );
};

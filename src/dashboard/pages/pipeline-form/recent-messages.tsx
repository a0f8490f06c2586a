import { useQuery } from '@tanstack/react-query';
import type { Pipeline } from '#contract/pipelines.ts';
import { topicFilterOf } from '#contract/topic-filter.ts';
import { messageQueries } from '../../resources/pipelines/message-queries.ts';
import { rejectionQueries } from '../../resources/pipelines/rejection-queries.ts';
import { unroutedQueries } from '../../resources/pipelines/unrouted-queries.ts';
import { Button } from '../../ui/controls/button.tsx';
import { asSent, type SampleMessage } from './pipeline-form-values.ts';

type Props = {
  /** Undefined for a new pipeline. */
  pipeline: Pipeline | undefined;
  /** The topics of the embedded broker that the pipeline subscribes to; null: it does not. */
  topicFilter: string | null;
  onUse: (sample: SampleMessage) => void;
};

/** The text of a message that is cut off would preview as another message. */
const isWhole = ({ truncated }: { truncated: boolean }): boolean => !truncated;

const NoPreview = ({ name }: { name: string }) => (
  <p className="w-full text-sm text-muted">
    The {name} cannot be previewed because only part of it is available.
  </p>
);

/** Messages that arrived before, to preview one: the last, the last rejected and the last unrouted message. */
export const RecentMessages = ({ pipeline, topicFilter, onUse }: Props) => {
  const isStored = pipeline !== undefined;
  const { id = '', config = {} } = pipeline ?? {};
  const last = useQuery({ ...messageQueries.last(id), enabled: isStored });
  const { data: rejected } = useQuery({ ...rejectionQueries.last(id), enabled: isStored });
  const unrouted = useQuery({ ...unroutedQueries.latest(), enabled: topicFilter !== null });
  const match = topicFilterOf(topicFilter ?? '');
  const unroutedMessage = unrouted.data
    ?.map(({ lastMessage }) => lastMessage)
    .find((each) => each.payload !== null && isWhole(each) && match(each.topic) !== undefined);

  /** The newest one, since messages arrive while the form is open. */
  const takeLast = async () => {
    const { data } = await last.refetch();
    if (data == null || !isWhole(data)) return;
    // The device of the config is not that of the sender, and may be edited here.
    onUse({ ...data, device: data.device === config['device'] ? null : data.device });
  };
  return (
    <>
      {last.data != null &&
        (isWhole(last.data) ? (
          <Button busy={last.isFetching} onClick={() => void takeLast()}>
            Use the last message
          </Button>
        ) : (
          <NoPreview name="last message" />
        ))}
      {rejected != null &&
        (isWhole(rejected) ? (
          <Button onClick={() => onUse(asSent(rejected))}>Use the last rejected message</Button>
        ) : (
          <NoPreview name="last rejected message" />
        ))}
      {unroutedMessage !== undefined && (
        <Button
          onClick={() => onUse({ message: unroutedMessage.payload ?? '', topic: unroutedMessage.topic })}
        >
          Use the last unrouted message
        </Button>
      )}
    </>
  );
};

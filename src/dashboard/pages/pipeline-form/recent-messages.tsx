import { useQuery } from '@tanstack/react-query';
import { messageQueries } from '../../resources/pipelines/message-queries.ts';
import { rejectionQueries } from '../../resources/pipelines/rejection-queries.ts';
import { unroutedQueries } from '../../resources/pipelines/unrouted-queries.ts';
import { Button } from '../../ui/controls/button.tsx';

/** A message to preview, and its origin. */
export type SampleMessage = { message: string; topic?: string | null; device?: string | null };

type Props = {
  /** Undefined for a new pipeline. */
  pipelineId: string | undefined;
  /** The topics of the embedded broker that the pipeline subscribes to; null: it does not. */
  topicFilter: string | null;
  onUse: (sample: SampleMessage) => void;
};

/** MQTT 3.1.1, 4.7. */
const matchesTopic = (filter: string, topic: string): boolean => {
  const [filters, levels] = [filter.split('/'), topic.split('/')];
  const isOpen = filters.at(-1) === '#';
  const fixed = isOpen ? filters.slice(0, -1) : filters;
  return (
    (isOpen ? levels.length >= fixed.length : levels.length === fixed.length) &&
    fixed.every((part, index) => part === '+' || part === levels[index])
  );
};

/** Messages that arrived before, to preview one: the last, the last rejected and the last unrouted message. */
export const RecentMessages = ({ pipelineId, topicFilter, onUse }: Props) => {
  const isStored = pipelineId !== undefined;
  const last = useQuery({ ...messageQueries.last(pipelineId ?? ''), enabled: isStored });
  const rejected = useQuery({ ...rejectionQueries.last(pipelineId ?? ''), enabled: isStored });
  const unrouted = useQuery({ ...unroutedQueries.latest(), enabled: topicFilter !== null });
  const unroutedMessage = unrouted.data
    ?.map(({ lastMessage }) => lastMessage)
    .find(({ topic, payload }) => payload !== null && matchesTopic(topicFilter ?? '', topic));

  /** The newest one, since messages arrive while the form is open. */
  const takeLast = async () => {
    const { data } = await last.refetch();
    if (data != null) onUse(data);
  };
  return (
    <>
      {last.data != null && (
        <Button busy={last.isFetching} onClick={() => void takeLast()}>
          Use the last message
        </Button>
      )}
      {rejected.data != null && (
        <Button onClick={() => rejected.data != null && onUse(rejected.data)}>
          Use the last rejected message
        </Button>
      )}
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

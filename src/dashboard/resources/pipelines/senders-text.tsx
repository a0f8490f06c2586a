import { Fragment } from 'react';
import type { Sender } from '#contract/rejections.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { subjectPath } from '../../paths.ts';
import { Link } from '../../ui/controls/link.tsx';

type Props = {
  senders: readonly Sender[];
  /** The number of all senders. */
  count: number;
};

/** The API keys and sessions that sent messages, each key with a link to it. */
export const SendersText = ({ senders, count }: Props) => {
  const canOpenKeys = useHasScope('api-keys:manage');
  const more = count - senders.length;
  return (
    <>
      Sent by{' '}
      {senders.map((sender, index) => {
        const { type, id, name } = sender;
        const isLast = index === senders.length - 1 && more === 0;
        return (
          <Fragment key={id}>
            {index > 0 && (isLast ? ' and ' : ', ')}
            {type === 'api-key' && 'key '}
            {type === 'api-key' && canOpenKeys ? (
              <Link to={subjectPath(sender) ?? ''}>{name}</Link>
            ) : (
              <span className="text-ink">{name}</span>
            )}
          </Fragment>
        );
      })}
      {more > 0 && ` and ${more} more`}
    </>
  );
};

import { ChevronRight } from 'lucide-react';
import { useId } from 'react';
import type { Pipeline } from '#contract/pipelines.ts';
import type { Rejection } from '#contract/rejections.ts';
import type { RejectionFilter } from '../../resources/pipelines/rejection-queries.ts';
import { ExternalId } from '../../resources/devices/external-id.tsx';
import { reasonInWords } from '#contract/rejection-reason.ts';
import { useIsNarrow, useMediaQuery } from '../../ui/browser/media-query.ts';
import { cx } from '../../ui/browser/cx.ts';
import { formatCount } from '../../ui/format/format-number.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { RejectionItem } from './rejection-item.tsx';

type Props = {
  rows: readonly Rejection[];
  /** The rejection whose message is shown; null: none. */
  openId: string | null;
  onOpen: (id: string | null) => void;
  pipeline: Pick<Pipeline, 'id' | 'destination'>;
  canReplay: boolean;
  filter: RejectionFilter;
};

const EXCERPT_CHARACTERS = 200;

const headClass = 'px-2 py-1.5 text-left text-sm font-normal text-muted';
const cellClass = 'px-2 py-1.5 align-middle';

/** Rejections, newest first, with one message open. */
export const RejectionTable = ({ rows, openId, onOpen, ...item }: Props) => {
  const id = useId();
  // The open message spans all columns, so hidden ones must not exist.
  const hasDevice = !useIsNarrow();
  const hasMessage = useMediaQuery('(width >= 64rem)');
  return (
    <table aria-label="Rejections" className="w-full table-fixed border-t border-hairline">
      <thead>
        <tr>
          <th scope="col" className={cx(headClass, 'pl-4 lg:w-56')}>
            Reason
          </th>
          {hasDevice && (
            <th scope="col" className={cx(headClass, 'w-32')}>
              Device
            </th>
          )}
          {hasMessage && (
            <th scope="col" className={headClass}>
              Message
            </th>
          )}
          <th scope="col" className={cx(headClass, 'w-18 text-right')}>
            Samples
          </th>
          <th scope="col" className={cx(headClass, 'w-26 pr-4 text-right')}>
            Received
          </th>
        </tr>
      </thead>
      {rows.map((rejection) => {
        const isOpen = rejection.id === openId;
        return (
          <tbody key={rejection.id} className="border-t border-hairline">
            <tr className={cx('relative hover:bg-hover', isOpen && 'bg-accent-soft')}>
              <td className={cx(cellClass, 'pl-2')}>
                <button
                  type="button"
                  aria-expanded={isOpen}
                  aria-controls={isOpen ? `${id}-${rejection.id}` : undefined}
                  onClick={() => onOpen(isOpen ? null : rejection.id)}
                  // The whole row can be clicked.
                  className="flex min-h-6 w-full items-center gap-1 rounded-sm text-left font-medium text-bad-text after:absolute after:inset-0 touch:min-h-11"
                >
                  <ChevronRight
                    aria-hidden
                    className={cx('size-4 shrink-0 text-muted', isOpen && 'rotate-90')}
                  />
                  <span className="min-w-0 wrap-anywhere">{reasonInWords(rejection.reason)}</span>
                </button>
              </td>
              {hasDevice && (
                <td className={cx(cellClass, 'truncate')}>
                  {rejection.device === null ? (
                    <span className="text-faint">–</span>
                  ) : (
                    <ExternalId id={rejection.device} />
                  )}
                </td>
              )}
              {hasMessage && (
                <td className={cx(cellClass, 'truncate font-mono text-sm text-muted')}>
                  {!isOpen && rejection.message.slice(0, EXCERPT_CHARACTERS)}
                </td>
              )}
              <td className={cx(cellClass, 'tabular text-right')}>{formatCount(rejection.samples)}</td>
              <td className={cx(cellClass, 'pr-4 text-right text-sm text-muted')}>
                <RelativeTime at={rejection.at} inRow className="relative z-1" />
              </td>
            </tr>
            {isOpen && (
              <tr id={`${id}-${rejection.id}`}>
                <td colSpan={3 + Number(hasDevice) + Number(hasMessage)}>
                  <RejectionItem rejection={rejection} {...item} />
                </td>
              </tr>
            )}
          </tbody>
        );
      })}
    </table>
  );
};

import { describeError } from '../../api/api-error.ts';
import { MAX_TAGGED } from '../../resources/telemetry/telemetry-queries.ts';
import { Button } from '../../ui/controls/button.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { formatCount, plural } from '../../ui/format/format-number.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import type { ChosenDevices } from './chosen-devices.ts';

type Props = {
  chosen: ChosenDevices;
  onDropMissing: () => void;
  /** Why what is shown could not be read again; null where it was. */
  error: Error | null;
  /** Epoch ms. */
  readAtMs: number;
  onRetry: () => void;
};

/** Why not all that was asked for is on screen, or not as it is now. */
export const TelemetryNotices = ({ chosen, onDropMissing, error, readAtMs, onRetry }: Props) => {
  const { missing, taggedTotal } = chosen;
  return (
    <>
      {missing.length > 0 && (
        <FormNotice
          tone="attention"
          action={
            <Button onClick={onDropMissing}>{missing.length === 1 ? 'Remove it' : 'Remove them'}</Button>
          }
        >
          {plural(missing.length, 'device')} in this link {missing.length === 1 ? 'is' : 'are'} missing:
          deleted, or not accessible with your key.
        </FormNotice>
      )}
      {taggedTotal !== null && taggedTotal > MAX_TAGGED && (
        <FormNotice tone="attention">
          {formatCount(taggedTotal)} devices have these tags. The chart shows the first {MAX_TAGGED} by name.
          Add a tag to narrow the selection.
        </FormNotice>
      )}
      {error !== null && (
        <FormNotice tone="attention" action={<Button onClick={onRetry}>Try again</Button>}>
          This data was loaded <RelativeTime at={readAtMs} />. Could not refresh it.{' '}
          {describeError(error).detail}
        </FormNotice>
      )}
    </>
  );
};

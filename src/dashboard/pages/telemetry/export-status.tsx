import { useEffect, useState } from 'react';
import { describeError } from '../../api/api-error.ts';
import { Button } from '../../ui/controls/button.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { formatBytes, formatCount } from '../../ui/format/format-number.ts';
import { ProgressBar } from '../../ui/feedback/progress-bar.tsx';
import { RetryButton } from '../../ui/feedback/retry-button.tsx';
import type { ExportRequest, ExportState } from './use-export.ts';

type Props = {
  state: ExportState | null;
  /** Samples in the range, where that is known. */
  expectedRows: number | null;
  onCancel: () => void;
  onRetry: (request: ExportRequest) => void;
  onDismiss: () => void;
};

/** Short exports show no progress bar. */
const SHOW_AFTER_MS = 400;

/** The progress of an export, or why it stopped. */
export const ExportStatus = ({ state, expectedRows, onCancel, onRetry, onDismiss }: Props) => {
  const startedMs = state?.is === 'running' ? state.startedMs : null;
  const [shownFor, setShownFor] = useState<number | null>(null);
  useEffect(() => {
    if (startedMs === null) return undefined;
    const timer = setTimeout(() => setShownFor(startedMs), SHOW_AFTER_MS);
    return () => clearTimeout(timer);
  }, [startedMs]);

  if (state === null) return null;
  if (state.is === 'failed') {
    const { title, detail } = describeError(state.error);
    return (
      <FormNotice
        tone="bad"
        action={
          <>
            <RetryButton onRetry={() => onRetry(state.request)} />
            <Button variant="quiet" onClick={onDismiss}>
              Dismiss
            </Button>
          </>
        }
      >
        The export stopped after {formatCount(state.rows)} rows. Nothing was saved. {title}. {detail}
      </FormNotice>
    );
  }
  if (shownFor !== startedMs) return null;
  const share = expectedRows === null ? null : Math.min(1, state.rows / Math.max(1, expectedRows));
  return (
    <section
      aria-label="Export"
      className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-md border border-hairline bg-surface px-3 py-2"
    >
      <span className="tabular min-w-0 flex-1">
        Exporting: {formatCount(state.rows)}
        {expectedRows !== null && ` of ${formatCount(expectedRows)}`} rows, {formatBytes(state.bytes)}
      </span>
      <ProgressBar label="Export" share={share} className="w-40" />
      <Button variant="quiet" onClick={onCancel}>
        Cancel
      </Button>
      <output className="sr-only">Exporting</output>
    </section>
  );
};

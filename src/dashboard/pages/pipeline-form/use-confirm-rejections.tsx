import { useRef, useState } from 'react';
import type { PipelineChange } from '#contract/pipelines.ts';
import { recentMessagesApi, type RecentPreview } from '#contract/recent-messages.ts';
import { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/client.ts';
import { useConfirm } from '../../kit/confirm/use-confirm.tsx';
import { formatCount, plural } from '../../ui/format/format-number.ts';

/**
 * What a change does to recently accepted messages; undefined if they cannot be compared. The query of the preview is
 * cancelled when the form changes, so this function sends its own request.
 */
const compare = async (id: string, change: PipelineChange): Promise<RecentPreview | undefined> => {
  try {
    return await call(recentMessagesApi.preview, { params: { id }, body: { change } });
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
};

/**
 * Asks before a change with which recently accepted messages would be rejected. `dialog` belongs outside of the form
 * element.
 */
export const useConfirmRejections = () => {
  const { confirm, dialog } = useConfirm();
  const [isComparing, setComparing] = useState(false);
  // A second click may come before the state is rendered.
  const comparing = useRef(false);
  const saveUnlessRejecting = async (
    pipelineId: string,
    change: PipelineChange,
    save: () => Promise<void>,
  ): Promise<void> => {
    if (comparing.current) return;
    comparing.current = true;
    setComparing(true);
    const recent = await compare(pipelineId, change).finally(() => {
      comparing.current = false;
      setComparing(false);
    });
    // If they cannot be compared, the change is saved: the service validates it anyway.
    if (recent === undefined || recent.rejected === 0) {
      await save();
      return;
    }
    const { rejected, messages } = recent;
    confirm({
      title: 'Save a change that rejects messages?',
      body: `With this change, Penstock would reject ${formatCount(rejected)} of ${plural(messages, 'recent message')} that it accepted before. “Recent messages” shows which.`,
      confirmLabel: 'Save anyway',
      cancelLabel: 'Keep editing',
      run: save,
    });
  };
  return { saveUnlessRejecting, isComparing, dialog };
};

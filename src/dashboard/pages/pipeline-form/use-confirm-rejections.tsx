import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { PipelineChange } from '#contract/pipelines.ts';
import { useConfirm } from '../../kit/confirm/use-confirm.tsx';
import { messageQueries } from '../../resources/pipelines/message-queries.ts';
import { formatCount, plural } from '../../ui/format/format-number.ts';

/** Asks before a change with which recently accepted messages would be rejected. `dialog` belongs outside of the form element. */
export const useConfirmRejections = () => {
  const client = useQueryClient();
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
    // If they cannot be compared, the change is saved: the service validates it anyway.
    const recent = await client
      .fetchQuery(messageQueries.previewChange(pipelineId, change))
      .catch(() => undefined);
    comparing.current = false;
    setComparing(false);
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

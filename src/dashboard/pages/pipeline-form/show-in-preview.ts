import type { UseFormReturn } from 'react-hook-form';
import {
  asSent,
  fillPreview,
  type OriginalMessage,
  type PipelineFormValues,
} from './pipeline-form-values.ts';

/** Puts a message into the preview, and scrolls to the preview if it is not visible, as on a phone. */
export const showInPreview = (
  form: UseFormReturn<PipelineFormValues, unknown, PipelineFormValues>,
  message: OriginalMessage,
): void => {
  fillPreview(form, asSent(message));
  document.querySelector('textarea[name=message]')?.closest('section')?.scrollIntoView({ block: 'nearest' });
};

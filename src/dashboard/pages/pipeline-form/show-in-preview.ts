import { asSent, fillPreview, type OriginalMessage, type PipelineFormState } from './pipeline-form-values.ts';

/** Puts a message into the preview, and scrolls to the preview if it is not visible, as on a phone. */
export const showInPreview = (form: PipelineFormState, message: OriginalMessage): void => {
  fillPreview(form, asSent(message));
  document.querySelector('textarea[name=message]')?.closest('section')?.scrollIntoView({ block: 'nearest' });
};

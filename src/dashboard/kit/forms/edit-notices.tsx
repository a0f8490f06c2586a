import { lazy } from 'react';
import type { FieldValues } from 'react-hook-form';
import { Button } from '../../ui/controls/button.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { Optional } from '../../ui/browser/optional.tsx';
import type { EditedForm } from './use-edited-form.ts';
import type { Recovery } from './edit-conflict-notice.tsx';

const EditConflictNotice = lazy(async () => ({
  default: (await import('./edit-conflict-notice.tsx')).EditConflictNotice,
}));

type Props<In extends FieldValues> = {
  edited: EditedForm<In>;
  /** What brings a deleted item back; left out: it is created again. */
  recovery?: Recovery;
};

/** Notices above the fields: a restored draft, and changes by others during the edit. */
export const EditNotices = <In extends FieldValues>({ edited, recovery }: Props<In>) => (
  <>
    {edited.isRestored && edited.conflict === null && (
      <FormNotice tone="idle" action={<Button onClick={edited.discard}>Discard changes</Button>}>
        Your unsaved changes were restored.
      </FormNotice>
    )}
    {edited.conflict !== null && (
      <Optional
        fallback={
          <FormNotice tone="attention">
            This {edited.kind} was updated elsewhere while you edited it. Reload the page to compare both
            versions. Your changes are kept.
          </FormNotice>
        }
      >
        <EditConflictNotice
          edited={edited as unknown as EditedForm<FieldValues>}
          recovery={recovery ?? { label: 'Create again', run: async () => edited.createAgain() }}
        />
      </Optional>
    )}
  </>
);

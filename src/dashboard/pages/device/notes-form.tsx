import { useEffect, useState } from 'react';
import { useWatch } from 'react-hook-form';
import * as z from 'zod';
import { devicesApi, newDeviceSchema, NOTES_LENGTH, type Device } from '#contract/devices.ts';
import { hasCode } from '../../api/api-error.ts';
import { callWithEtag, etagOf } from '../../api/client.ts';
import { describeFailedChange } from '../../api/describe-failed-change.ts';
import { versionOfEntries, type EditedFields } from '../../kit/forms/edited-fields.ts';
import { discardOf, useConfirm } from '../../kit/confirm/use-confirm.tsx';
import { EditNotices } from '../../kit/forms/edit-notices.tsx';
import { useEditedForm } from '../../kit/forms/use-edited-form.ts';
import { placeFieldErrors } from '../../kit/forms/use-zod-form.ts';
import { useChangeDevice, useRestoreDevice } from '../../resources/devices/device-queries.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { TextArea } from '../../ui/controls/text-input.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { formatCount } from '../../ui/format/format-number.ts';

type NotesValues = { notes: string };
const notesSchema = z.object({ notes: newDeviceSchema.shape.notes.unwrap() });
const notesFields: EditedFields<NotesValues> = {
  versionOf: ({ notes }) => versionOfEntries([['notes', notes]]),
  put: (values, _, value) => ({ ...values, notes: String(value ?? '') }),
  labelOf: () => 'Notes',
  textOf: (_, value) => String(value),
};

type Props = {
  device: Device;
  /** The key under which the draft is stored. */
  draft: string;
  takesFocus: boolean;
  onClose: () => void;
};

/** Edits the notes of a device. Escape closes the form if nothing was typed. */
export const NotesForm = ({ device, draft, takesFocus, onClose }: Props) => {
  // The form object is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
  const edited = useEditedForm<Device, NotesValues>({
    schema: notesSchema,
    draft,
    item: device,
    failure: null,
    kind: 'device',
    valuesOf: (item) => ({ notes: item?.notes ?? '' }),
    fields: notesFields,
    etagOf: (id) => etagOf(devicesApi.change, { id }),
    read: (id) => callWithEtag(devicesApi.get, { params: { id } }),
  });
  const { register, handleSubmit, control, formState, setFocus } = edited.form;
  const change = useChangeDevice();
  const restore = useRestoreDevice();
  const [problem, setProblem] = useState<string | null>(null);
  const length = useWatch({ control, name: 'notes' }).length;
  useEffect(() => {
    if (takesFocus) setFocus('notes');
  }, [takesFocus, setFocus]);

  const { confirm, dialog } = useConfirm();
  const discard = () => {
    edited.discard();
    onClose();
  };
  const hasChanges = () => edited.form.getValues('notes') !== (edited.base.item?.notes ?? '');
  const cancel = () => (hasChanges() ? confirm(discardOf(discard)) : discard());
  const save = async ({ notes }: NotesValues) => {
    setProblem(null);
    try {
      const isSaved = await edited.save(async ({ item, etag }) => {
        if (item?.notes !== notes)
          await change.mutateAsync({ id: device.id, change: { notes }, ifMatch: etag });
      });
      if (isSaved) onClose();
    } catch (error) {
      const placed = hasCode(error, 'validation-failed') ? error.fields : [];
      const unplaced = placeFieldErrors(edited.form, placed);
      setProblem(placed.length === 0 ? describeFailedChange(error) : unplaced.join(' ') || null);
    }
  };

  return (
    <>
      <form noValidate onSubmit={(event) => void handleSubmit(save)(event)} className="flex flex-col gap-3">
        <EditNotices
          edited={edited}
          recovery={{
            label: 'Restore device',
            run: async () => {
              await restore.mutateAsync(device.id);
              await edited.checkRestored();
            },
          }}
        />
        {problem !== null && <FormNotice tone="bad">{problem}</FormNotice>}
        <Field
          label="Notes"
          optional
          error={formState.errors.notes?.message}
          help={`Plain text. ${formatCount(length)} of ${formatCount(NOTES_LENGTH)} characters.`}
        >
          <TextArea
            {...register('notes')}
            rows={5}
            className="max-h-96"
            onKeyDown={(event) => {
              if (event.key === 'Escape' && !hasChanges()) discard();
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void handleSubmit(save)(event);
            }}
          />
        </Field>
        <div className="flex gap-2">
          <Button type="submit" variant="primary" busy={formState.isSubmitting}>
            Save
          </Button>
          <Button onClick={cancel}>Cancel</Button>
        </div>
      </form>
      {/* Outside the form, so that confirming does not submit the notes. */}
      {dialog}
    </>
  );
};

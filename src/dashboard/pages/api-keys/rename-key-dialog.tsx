import { describeFailedChange } from '../../api/describe-failed-change.ts';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { apiKeyChangeSchema, apiKeysApi, type ApiKey } from '#contract/api-keys.ts';
import { hasCode } from '../../api/api-error.ts';
import { etagOf } from '../../api/client.ts';
import { apiKeyQueries, useRenameApiKey } from '../../resources/access/api-key-queries.ts';
import { Button } from '../../ui/controls/button.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { TextInput } from '../../ui/controls/text-input.tsx';
import type { DialogState } from '../../ui/overlays/dialog.tsx';

export const RenameKeyDialog = ({ apiKey, state }: { apiKey: ApiKey; state: DialogState }) => {
  const input = useRef<HTMLInputElement>(null);
  const [name, setName] = useState(apiKey.name);
  const [problem, setProblem] = useState<string>();
  const [isConflict, setIsConflict] = useState(false);
  const current = useQuery(apiKeyQueries.detail(apiKey.id));
  // The first revision that was read: a later one may contain a change by others.
  const [base, setBase] = useState<string>();
  if (base === undefined && current.data !== undefined) setBase(etagOf(apiKeysApi.change, { id: apiKey.id }));
  const rename = useRenameApiKey();

  const save = (ifMatch: string | null | undefined) => {
    const parsed = apiKeyChangeSchema.shape.name.safeParse(name);
    if (!parsed.success || parsed.data === undefined) {
      setProblem(parsed.error?.issues[0]?.message ?? 'Must not be empty.');
      input.current?.focus();
      return;
    }
    rename.mutate(
      { id: apiKey.id, name: parsed.data, ...(ifMatch !== undefined && { ifMatch }) },
      {
        onSuccess: state.onClose,
        onError: (error) => {
          if (hasCode(error, 'precondition-failed')) {
            setIsConflict(true);
            void current.refetch();
          } else setProblem(describeFailedChange(error));
        },
      },
    );
  };

  return (
    <FormDialog
      state={state}
      title="Rename API key"
      description="The secret and the scopes stay the same."
      submit={{ label: 'Rename', isBusy: rename.isPending }}
      initialFocus={input}
      onSubmit={() => save(base)}
    >
      {isConflict && (
        <FormNotice tone="attention" action={<Button onClick={() => save(null)}>Rename anyway</Button>}>
          This key was updated elsewhere
          {current.data !== undefined && `, and its name is now ${current.data.name}`}.
        </FormNotice>
      )}
      <Field label="Name" error={problem}>
        <TextInput
          ref={input}
          value={name}
          onChange={(event) => {
            setName(event.target.value);
            setProblem(undefined);
          }}
        />
      </Field>
    </FormDialog>
  );
};

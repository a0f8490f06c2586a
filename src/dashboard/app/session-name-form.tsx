import { useState, type RefObject, useRef } from 'react';
import { flushSync } from 'react-dom';
import { sessionChangeSchema, sessionsApi, type Who } from '#contract/sessions.ts';
import { describeFailedChange } from '../api/describe-failed-change.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { sessionQueries } from '../api/session-queries.ts';
import { Field } from '../ui/controls/field.tsx';
import { TextInput } from '../ui/controls/text-input.tsx';
import { Button } from '../ui/controls/button.tsx';
import { useKeptFocus } from '../ui/browser/kept-focus.ts';
import { cx } from '../ui/browser/cx.ts';
import { namePromptRef } from '../ui/browser/document-mark.ts';
import type { DialogState } from '../ui/overlays/dialog.tsx';
import { describeScopes } from '../resources/access/describe-scopes.ts';
import { FormDialog } from '../ui/overlays/form-dialog.tsx';

type Options = { initial: string; input: RefObject<HTMLInputElement | null>; onSaved?: () => void };

/** Sets the name of the session, which events show as the actor. */
const useSetLabel = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (label: string) => call(sessionsApi.change, { body: { label } }),
    onSuccess: (who) => client.setQueryData(sessionQueries.who().queryKey, who),
  });
};

/** The state of the form that names the session. */
const useSessionNameForm = ({ initial, input, onSaved }: Options) => {
  const [label, setLabel] = useState(initial);
  const [problem, setProblem] = useState<string>();
  const change = useSetLabel();
  return {
    label,
    problem,
    isSaving: change.isPending,
    onChange: (text: string) => {
      setLabel(text);
      setProblem(undefined);
    },
    save: () => {
      const parsed = sessionChangeSchema.safeParse({ label });
      if (!parsed.success) {
        setProblem(parsed.error.issues[0]?.message);
        input.current?.focus();
        return;
      }
      change.mutate(parsed.data.label, {
        onSuccess: () => onSaved?.(),
        onError: (error) => setProblem(describeFailedChange(error)),
      });
    },
  };
};

type FieldProps = { form: ReturnType<typeof useSessionNameForm>; input: RefObject<HTMLInputElement | null> };

const SessionNameField = ({ form, input }: FieldProps) => (
  <Field
    label="Session name"
    error={form.problem}
    help="A person or a place, for example “Ana” or “Control room”."
  >
    <TextInput
      ref={input}
      autoComplete="name"
      maxLength={60}
      value={form.label}
      onChange={(event) => form.onChange(event.target.value)}
    />
  </Field>
);

/**
 * Asks for the name of the session below the content, at the bottom of the window, so that no content moves, and below the bar
 * of a selection. It waits while the page itself has something at the bottom, such as the buttons of a form.
 */
export const SessionNameNotice = ({ onDismiss }: { onDismiss: () => void }) => {
  const region = useRef<HTMLElement>(null);
  useKeptFocus(region, '');
  const input = useRef<HTMLInputElement>(null);
  const form = useSessionNameForm({ initial: '', input });
  // One line until the user wants to name it.
  const [isOpen, setIsOpen] = useState(false);
  const open = () => {
    flushSync(() => setIsOpen(true));
    input.current?.focus();
  };
  const dismiss = (
    <Button variant="quiet" onClick={onDismiss}>
      Not now
    </Button>
  );
  return (
    <section
      ref={region}
      aria-label="Name this session"
      className={cx(
        'sticky bottom-0 z-5 -mx-4 mt-4 -mb-4 flex flex-wrap items-start gap-x-6 gap-y-2 border-t border-hairline bg-canvas px-4 py-2.5 max-md:bottom-[calc(3.5rem+env(safe-area-inset-bottom))] lg:-mx-6 lg:-mb-5 lg:px-6',
        // Not while someone types the name.
        !isOpen && '[[data-has-bottom-bar]_&]:hidden',
      )}
    >
      <output ref={namePromptRef} className="min-w-60 flex-1 self-center">
        With a session name, others see in Activity which changes are yours.
      </output>
      {!isOpen && (
        <div className="flex gap-2">
          <Button onClick={open}>Name this session</Button>
          {dismiss}
        </div>
      )}
      {isOpen && (
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            form.save();
          }}
          className="flex flex-wrap items-start gap-2"
        >
          <SessionNameField form={form} input={input} />
          <div className="flex gap-2 pt-6">
            <Button type="submit" busy={form.isSaving}>
              Save
            </Button>
            {dismiss}
          </div>
        </form>
      )}
    </section>
  );
};

/** Names the session; opened from the account menu. */
export const SessionNameDialog = ({ who, state }: { who: Who; state: DialogState }) => {
  const input = useRef<HTMLInputElement>(null);
  const form = useSessionNameForm({ initial: who.label ?? '', input, onSaved: state.onClose });
  return (
    <FormDialog
      state={state}
      title="Name this session"
      description="Activity shows this name next to your changes."
      submit={{ label: 'Save', isBusy: form.isSaving }}
      initialFocus={input}
      onSubmit={form.save}
    >
      <SessionNameField form={form} input={input} />
      <p className="text-sm text-muted">
        Scopes of this session: {describeScopes(who.scopes, who.devices).toLowerCase()}.
      </p>
    </FormDialog>
  );
};

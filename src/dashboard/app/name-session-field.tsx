import { useState, type RefObject, type SubmitEvent } from 'react';
import { sessionChangeSchema } from '#contract/sessions.ts';
import { describeError } from '../api/api-error.ts';
import { useSetLabel } from '../api/session-queries.ts';
import { Field } from '../ui/controls/field.tsx';
import { TextInput } from '../ui/controls/text-input.tsx';

type Options = { initial: string; input: RefObject<HTMLInputElement | null>; onSaved?: () => void };

/** A form with the name of the session as its only field. */
export const useNameSession = ({ initial, input, onSaved }: Options) => {
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
    onSubmit: (event: SubmitEvent) => {
      event.preventDefault();
      const parsed = sessionChangeSchema.safeParse({ label });
      if (!parsed.success) {
        setProblem(parsed.error.issues[0]?.message);
        input.current?.focus();
        return;
      }
      change.mutate(parsed.data.label, {
        onSuccess: () => onSaved?.(),
        onError: (error) => setProblem(describeError(error).detail),
      });
    },
  };
};

type FieldProps = { form: ReturnType<typeof useNameSession>; input: RefObject<HTMLInputElement | null> };

export const NameSessionField = ({ form, input }: FieldProps) => (
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

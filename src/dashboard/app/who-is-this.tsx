import { useRef, useState } from 'react';
import { sessionChangeSchema, type Who } from '#contract/sessions.ts';
import { describeError } from '../api/api-error.ts';
import { useSetLabel } from '../api/session-queries.ts';
import { Button } from '../ui/controls/button.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { Field } from '../ui/controls/field.tsx';
import { TextInput } from '../ui/controls/text-input.tsx';
import { describeScopes } from '../resources/access/describe-scopes.ts';

type Props = { isOpen: boolean; who: Who; onClose: () => void };

/** Asked once for each session: the name that stands beside what it changes. */
export const WhoIsThis = ({ isOpen, who, onClose }: Props) => {
  const [label, setLabel] = useState('');
  const [problem, setProblem] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  const change = useSetLabel();
  const submit = () => {
    const parsed = sessionChangeSchema.safeParse({ label });
    if (!parsed.success) {
      setProblem(parsed.error.issues[0]?.message);
      input.current?.focus();
      return;
    }
    change.mutate(parsed.data.label, { onError: (error) => setProblem(describeError(error).detail) });
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Name this session"
      description="The name stands beside each change that you make, so that others can tell who made it."
      size="small"
      initialFocus={input}
      footer={
        <>
          <Button onClick={onClose}>Later</Button>
          <Button type="submit" form="who" look="primary" busy={change.isPending}>
            Continue
          </Button>
        </>
      }
    >
      <form
        id="who"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
        className="flex flex-col gap-4"
      >
        <Field label="Who is this?" error={problem} help="A person, or a place: “Ana”, “Control room”.">
          <TextInput
            ref={input}
            autoComplete="name"
            maxLength={60}
            value={label}
            onChange={(event) => {
              setLabel(event.target.value);
              setProblem(undefined);
            }}
          />
        </Field>
        <p className="text-sm text-muted">
          This session may do: {describeScopes(who.scopes, who.devices).toLowerCase()}.
        </p>
      </form>
    </Dialog>
  );
};

import { useRef, useState, type ReactNode } from 'react';
import { Button } from '../controls/button.tsx';
import { Dialog, type DialogState } from './dialog.tsx';
import { Field } from '../controls/field.tsx';
import { TextInput } from '../controls/text-input.tsx';

type Props = {
  state: DialogState;
  title: string;
  /** The consequences: “42 metrics, 1.2 M samples”. */
  children: ReactNode;
  confirmLabel: string;
  cancelLabel?: string | undefined;
  /** What the confirmation starts, and its outcome so far. */
  action: { run: () => void; isBusy: boolean; error?: string | undefined };
  /** The name that must be typed, for actions that cannot be undone. */
  typeName?: string;
};

/** Asks before an action. Actions that can be undone do not ask: their toast undoes them. */
export const ConfirmDialog = ({
  state,
  title,
  children,
  confirmLabel,
  cancelLabel = 'Cancel',
  action: { run, isBusy, error },
  typeName,
}: Props) => {
  const [typed, setTyped] = useState('');
  const cancel = useRef<HTMLButtonElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const isReady = typeName === undefined || typed.trim() === typeName;
  return (
    <Dialog
      state={state}
      title={title}
      size="small"
      // Cancel has the focus, unless a name must be typed.
      initialFocus={typeName === undefined ? cancel : input}
      footer={
        <>
          <Button ref={cancel} onClick={state.onClose}>
            {cancelLabel}
          </Button>
          <Button type="submit" form="confirm" variant="danger" busy={isBusy} disabled={!isReady}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      <form
        id="confirm"
        onSubmit={(event) => {
          event.preventDefault();
          // React passes it on to a form that contains the component which asks.
          event.stopPropagation();
          if (isReady && !isBusy) run();
        }}
        className="flex flex-col gap-4"
      >
        <div className="text-muted">{children}</div>
        {typeName !== undefined && (
          <Field label={`Type “${typeName}” to confirm`}>
            <TextInput ref={input} value={typed} onChange={(event) => setTyped(event.target.value)} />
          </Field>
        )}
        {error !== undefined && (
          <p role="alert" className="text-bad-text">
            {error}
          </p>
        )}
      </form>
    </Dialog>
  );
};

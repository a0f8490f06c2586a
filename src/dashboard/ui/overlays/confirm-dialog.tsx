import { useRef, useState, type ReactNode } from 'react';
import { Button } from '../controls/button.tsx';
import { Dialog } from './dialog.tsx';
import { Field } from '../controls/field.tsx';
import { TextInput } from '../controls/text-input.tsx';

type Props = {
  isOpen: boolean;
  onClose: () => void;
  onClosed?: () => void;
  title: string;
  /** The consequences: “42 metrics, 1.2 M samples”. */
  children: ReactNode;
  confirmLabel: string;
  onConfirm: () => void;
  isBusy?: boolean;
  error?: string | undefined;
  isDanger?: boolean;
  /** The name that must be typed, for actions that cannot be undone. */
  typeName?: string;
};

/** Asks before an action. Actions that can be undone do not ask: their toast undoes them. */
export const ConfirmDialog = ({
  title,
  children,
  confirmLabel,
  onConfirm,
  isBusy = false,
  error,
  isDanger = true,
  typeName,
  ...dialog
}: Props) => {
  const [typed, setTyped] = useState('');
  const cancel = useRef<HTMLButtonElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const isReady = typeName === undefined || typed.trim() === typeName;
  return (
    <Dialog
      {...dialog}
      title={title}
      size="small"
      // Cancel has the focus, unless a name must be typed.
      initialFocus={typeName === undefined ? cancel : input}
      footer={
        <>
          <Button ref={cancel} onClick={dialog.onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            form="confirm"
            variant={isDanger ? 'danger' : 'primary'}
            busy={isBusy}
            disabled={!isReady}
          >
            {confirmLabel}
          </Button>
        </>
      }
    >
      <form
        id="confirm"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady && !isBusy) onConfirm();
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

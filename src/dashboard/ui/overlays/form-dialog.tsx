import { useId, type ReactNode, type RefObject } from 'react';
import { Button } from '../controls/button.tsx';
import { Dialog, type DialogState } from './dialog.tsx';

type Props = {
  state: DialogState;
  title: string;
  description: string;
  /** The button that submits the form. */
  submit: { label: string; isBusy: boolean };
  initialFocus: RefObject<HTMLElement | null>;
  onSubmit: () => void;
  children: ReactNode;
};

/** A short form in a dialog: Cancel, and one button that submits. */
export const FormDialog = ({
  state,
  title,
  description,
  submit,
  initialFocus,
  onSubmit,
  children,
}: Props) => {
  const id = useId();
  return (
    <Dialog
      state={state}
      title={title}
      description={description}
      size="small"
      initialFocus={initialFocus}
      footer={
        <>
          <Button onClick={state.onClose}>Cancel</Button>
          <Button type="submit" form={id} variant="primary" busy={submit.isBusy}>
            {submit.label}
          </Button>
        </>
      }
    >
      <form
        id={id}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!submit.isBusy) onSubmit();
        }}
        className="flex flex-col gap-4"
      >
        {children}
      </form>
    </Dialog>
  );
};

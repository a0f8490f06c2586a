import { useRef } from 'react';
import { Button } from '../ui/controls/button.tsx';
import { NameSessionField, useNameSession } from './name-session-field.tsx';

/** Asks for the name of the session, above the page on which the first change was made. */
export const NameSessionNotice = ({ onDismiss }: { onDismiss: () => void }) => {
  const input = useRef<HTMLInputElement>(null);
  const form = useNameSession({ initial: '', input });
  return (
    <section
      aria-label="Name this session"
      className="mb-4 flex flex-wrap items-start gap-x-6 gap-y-3 rounded-md bg-idle-soft px-3 py-2.5"
    >
      <output className="min-w-60 flex-1">
        <strong className="block">Name this session</strong>
        Your change is recorded in Activity. With a name, others can see that you made it. You can change the
        name in the account menu.
      </output>
      <form noValidate onSubmit={form.onSubmit} className="flex flex-wrap items-start gap-2">
        <NameSessionField form={form} input={input} />
        <div className="flex gap-2 pt-6">
          <Button type="submit" busy={form.isSaving}>
            Save
          </Button>
          <Button look="quiet" onClick={onDismiss}>
            Not now
          </Button>
        </div>
      </form>
    </section>
  );
};

import { useRef } from 'react';
import type { Who } from '#contract/sessions.ts';
import type { DialogState } from '../kit/confirm/use-dialog.ts';
import { describeScopes } from '../resources/access/describe-scopes.ts';
import { Button } from '../ui/controls/button.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { NameSessionField, useNameSession } from './name-session-field.tsx';

/** Names the session, from the account menu. */
export const NameSessionDialog = ({ who, state }: { who: Who; state: DialogState }) => {
  const input = useRef<HTMLInputElement>(null);
  const form = useNameSession({ initial: who.label ?? '', input, onSaved: state.onClose });
  return (
    <Dialog
      {...state}
      title="Name this session"
      description="Activity shows this name next to your changes."
      size="small"
      initialFocus={input}
      footer={
        <>
          <Button onClick={state.onClose}>Cancel</Button>
          <Button type="submit" form="name-session" look="primary" busy={form.isSaving}>
            Save
          </Button>
        </>
      }
    >
      <form id="name-session" noValidate onSubmit={form.onSubmit} className="flex flex-col gap-4">
        <NameSessionField form={form} input={input} />
        <p className="text-sm text-muted">
          Scopes of this session: {describeScopes(who.scopes, who.devices).toLowerCase()}.
        </p>
      </form>
    </Dialog>
  );
};

import { useRef } from 'react';
import { signOut } from '../api/sign-in.ts';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { Button } from '../ui/controls/button.tsx';
import { SignInForm } from '../resources/access/sign-in-form.tsx';

const reasons: Record<string, string> = {
  'token-expired': 'Your session has expired.',
  'token-revoked': 'Your session ended: its key was revoked, or you signed out elsewhere.',
};

/** A dialog over the page, which keeps its state and its drafts. */
export const SignInAgain = ({ code }: { code: string }) => {
  const input = useRef<HTMLInputElement>(null);
  return (
    <Dialog
      state={{ isOpen: true, canDismiss: false, onClose: () => undefined }}
      title="Sign in again"
      description={`${reasons[code] ?? 'Your session is no longer valid.'} This page and your input are kept.`}
      size="small"
      initialFocus={input}
    >
      <SignInForm inputRef={input} onSignedIn={() => undefined} />
      <Button variant="quiet" className="mt-2 -ml-3 text-muted" onClick={() => void signOut()}>
        Leave this page
      </Button>
    </Dialog>
  );
};

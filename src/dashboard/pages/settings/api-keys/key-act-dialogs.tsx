import type { ApiKey } from '#contract/api-keys.ts';
import { RenameKeyDialog } from './rename-key-dialog.tsx';
import { RevokeKeyDialog } from './revoke-key-dialog.tsx';
import { RotateKeyDialog } from './rotate-key-dialog.tsx';

export type KeyAct = 'rename' | 'rotate' | 'revoke';

export type KeyActProps = {
  apiKey: ApiKey;
  /** The session was opened with this key: what ends it ends the session. */
  isThisSession: boolean;
  isOpen: boolean;
  onClose: () => void;
  onClosed: () => void;
};

const dialogs = { rename: RenameKeyDialog, rotate: RotateKeyDialog, revoke: RevokeKeyDialog };

export const KeyActDialog = ({ act, ...props }: KeyActProps & { act: KeyAct }) => {
  const Dialog = dialogs[act];
  return <Dialog {...props} />;
};

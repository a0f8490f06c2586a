import type { KeyAct, KeyActProps } from './key-act.ts';
import { RenameKeyDialog } from './rename-key-dialog.tsx';
import { RevokeKeyDialog } from './revoke-key-dialog.tsx';
import { RotateKeyDialog } from './rotate-key-dialog.tsx';

const dialogs = { rename: RenameKeyDialog, rotate: RotateKeyDialog, revoke: RevokeKeyDialog };

export const KeyActDialog = ({ act, ...props }: KeyActProps & { act: KeyAct }) => {
  const Dialog = dialogs[act];
  return <Dialog {...props} />;
};

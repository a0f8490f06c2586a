import type { ApiKey } from '#contract/api-keys.ts';

/** What is done to a key in a dialog of its own. */
export type KeyAct = 'rename' | 'rotate' | 'revoke';

export type KeyActProps = {
  apiKey: ApiKey;
  /** The session was opened with this key: what ends it ends the session. */
  isThisSession: boolean;
  isOpen: boolean;
  onClose: () => void;
  onClosed: () => void;
};

import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { MintedKey } from '#contract/api-keys.ts';
import { revokeOnLeave, useRevokeApiKey } from '../access/api-key-queries.ts';
import { showToast } from '../../ui/feedback/toast.ts';

/**
 * Revokes a new key when the panel or the page closes, if nobody can use the key: neither the secret nor a setting that
 * contains it was copied, and no message arrived. Returns a function to call after a copy. `onRevoked` is called when
 * the page closes, because the browser may restore the page.
 */
export const useRevokedUnlessUsed = (
  key: MintedKey | null,
  hasArrived: boolean,
  onRevoked: () => void,
): (() => void) => {
  const { mutate } = useRevokeApiKey();
  const [isCopied, setIsCopied] = useState(false);
  const unused = useRef<MintedKey | null>(null);
  useEffect(() => {
    unused.current = key === null || isCopied || hasArrived ? null : key;
  }, [key, isCopied, hasArrived]);
  const revoke = useEffectEvent(() => {
    const known = unused.current;
    if (known === null) return;
    mutate(known.id);
    showToast({ title: `Revoked ${known.name}`, detail: 'Its secret was not copied.' });
  });
  useEffect(() => () => revoke(), []);
  const revokeWithPage = useEffectEvent(() => {
    if (unused.current === null) return;
    revokeOnLeave(unused.current.id);
    onRevoked();
  });
  useEffect(() => {
    const onPageHide = () => revokeWithPage();
    window.addEventListener('pagehide', onPageHide);
    return () => window.removeEventListener('pagehide', onPageHide);
  }, []);
  return () => setIsCopied(true);
};

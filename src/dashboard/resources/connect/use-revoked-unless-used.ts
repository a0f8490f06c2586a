import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { MintedKey } from '#contract/api-keys.ts';
import { describeFailedChange } from '../../api/describe-failed-change.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { revokeUnusedApiKey } from '../access/api-key-queries.ts';
import { showToast } from '../../ui/feedback/toast.ts';

/**
 * Revokes a new key when the panel or the page closes, if nobody can use the key: neither the secret nor a setting that
 * contains it was copied, and the service has not seen the key. Returns a function to call after a copy. `onClosed` is
 * called when the page closes, because the browser may restore the page.
 */
export const useRevokedUnlessUsed = (
  key: MintedKey | null,
  isUsed: boolean,
  onClosed: () => void,
): (() => void) => {
  const client = useQueryClient();
  const [isCopied, setIsCopied] = useState(false);
  const unused = useRef<MintedKey | null>(null);
  useEffect(() => {
    unused.current = key === null || isCopied || isUsed ? null : key;
  }, [key, isCopied, isUsed]);
  useEffect(() => {
    // Also a text that the user selects and copies, in any part of the page.
    const onCopy = () => {
      if (key?.secret != null && String(document.getSelection()).includes(key.secret)) setIsCopied(true);
    };
    document.addEventListener('copy', onCopy);
    return () => document.removeEventListener('copy', onCopy);
  }, [key]);
  const revoke = useEffectEvent(async () => {
    const left = unused.current;
    if (left === null) return;
    try {
      if (!(await revokeUnusedApiKey(left.id))) return;
      showToast({ title: `Revoked ${left.name}`, detail: 'Its secret was not copied.' });
      void client.invalidateQueries({ queryKey: queryKeys.apiKeys });
    } catch (error) {
      showToast({ tone: 'bad', title: `${left.name} is still valid`, detail: describeFailedChange(error) });
    }
  });
  useEffect(() => () => void revoke(), []);
  const revokeWithPage = useEffectEvent(() => {
    if (unused.current === null) return;
    // Nobody is left to see a failure.
    revokeUnusedApiKey(unused.current.id).catch(() => undefined);
    onClosed();
  });
  useEffect(() => {
    const onPageHide = () => revokeWithPage();
    window.addEventListener('pagehide', onPageHide);
    return () => window.removeEventListener('pagehide', onPageHide);
  }, []);
  return () => setIsCopied(true);
};

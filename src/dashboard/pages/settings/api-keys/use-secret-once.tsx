import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useBlocker } from 'react-router-dom';
import type { MintedKey } from '#contract/api-keys.ts';
import { Button } from '../../../ui/button.tsx';
import { copyText } from '../../../ui/copy-text.ts';
import { showToast } from '../../../ui/toast.ts';
import { LeaveQuestion } from './leave-question.tsx';
import { LostSecret } from './lost-secret.tsx';
import { SecretView } from './secret-view.tsx';

/**
 * A secret that is shown once. Until it was copied it is not left by accident: closing, Back and other pages ask
 * first, and the browser asks before the tab is closed or loaded anew.
 */
export const useSecretOnce = (onClose: () => void) => {
  const [minted, setMinted] = useState<MintedKey | null>(null);
  const [isCopied, setIsCopied] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  // Read by the blocker at the moment of leaving, which may come before the next render.
  const isHeld = useRef(false);
  const blocker = useBlocker(() => isHeld.current);
  const mustAsk = isAsking || blocker.state === 'blocked';

  const holdsUncopied = minted !== null && minted.secret !== null && !isCopied;
  const warn = useEffectEvent((event: BeforeUnloadEvent) => event.preventDefault());
  useEffect(() => {
    if (!holdsUncopied) return undefined;
    const listener = (event: BeforeUnloadEvent) => warn(event);
    window.addEventListener('beforeunload', listener);
    return () => window.removeEventListener('beforeunload', listener);
  }, [holdsUncopied]);

  const hold = (key: MintedKey) => {
    isHeld.current = key.secret !== null;
    setMinted(key);
    setIsCopied(false);
    setIsAsking(false);
  };
  const onCopied = () => {
    isHeld.current = false;
    setIsCopied(true);
    setIsAsking(false);
  };
  const leave = () => {
    isHeld.current = false;
    setIsAsking(false);
    if (blocker.state === 'blocked') blocker.proceed();
    else onClose();
  };
  const requestClose = () => {
    if (isHeld.current) setIsAsking(true);
    else onClose();
  };
  const copyAndLeave = async () => {
    if (minted?.secret != null && (await copyText(minted.secret))) {
      showToast({ title: 'Secret copied' });
      leave();
    } else showToast({ title: 'Not copied', detail: 'Select the text and copy it by hand.', tone: 'bad' });
  };

  return {
    minted,
    hold,
    requestClose,
    body:
      minted === null ? null : minted.secret === null ? (
        <LostSecret apiKey={minted} onMinted={hold} />
      ) : (
        <SecretView key={minted.id} apiKey={minted} secret={minted.secret} onCopied={onCopied} />
      ),
    footer: mustAsk ? (
      <LeaveQuestion onCopy={() => void copyAndLeave()} onLeave={leave} />
    ) : (
      <Button look={isCopied ? 'primary' : 'secondary'} onClick={requestClose}>
        Done
      </Button>
    ),
  };
};

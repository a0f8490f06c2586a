import { useEffect, useEffectEvent, useRef, useState, type ComponentType } from 'react';
import { useBlocker } from 'react-router-dom';
import { Button } from '../../ui/controls/button.tsx';
import { cx } from '../../ui/browser/cx.ts';
import { copyText } from '../../ui/browser/copy-text.ts';
import { showToast } from '../../ui/feedback/toast.ts';
import { useMutation } from '@tanstack/react-query';
import { describeFailedChange } from '../../api/describe-failed-change.ts';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';

export type SecretViewProps<T> = {
  item: T;
  secret: string;
  onCopied: () => void;
  /** Called once a client uses the secret. */
  onUsed: () => void;
};

type Options<T> = {
  onClose: () => void;
  /** What the secret is needed for, shown before the user leaves without it. */
  need: string;
  View: ComponentType<SecretViewProps<T>>;
  /** Creates another secret where the response with the first one was lost. Left out: that is not possible. */
  rotate?: (id: string) => Promise<T>;
};

type WithSecret = { id: string; name: string; secret: string | null };

/**
 * A secret that is shown once. Until the secret is copied or in use, closing, Back and other pages ask first, and the browser asks
 * before the tab is closed or reloaded.
 */
export const useSecretOnce = <T extends WithSecret>({ onClose, need, View, rotate }: Options<T>) => {
  const [item, setItem] = useState<T | null>(null);
  const [isCopied, setIsCopied] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  // Read by the blocker at the moment of leaving, which may come before the next render.
  const isUncopied = useRef(false);
  const blocker = useBlocker(() => isUncopied.current);
  const mustAsk = isAsking || blocker.state === 'blocked';

  const mustCopy = item !== null && item.secret !== null && !isCopied;
  const warn = useEffectEvent((event: BeforeUnloadEvent) => event.preventDefault());
  useEffect(() => {
    if (!mustCopy) return undefined;
    const listener = (event: BeforeUnloadEvent) => warn(event);
    window.addEventListener('beforeunload', listener);
    return () => window.removeEventListener('beforeunload', listener);
  }, [mustCopy]);

  const show = (next: T) => {
    isUncopied.current = next.secret !== null;
    setItem(next);
    setIsCopied(false);
    setIsAsking(false);
  };
  const onCopied = () => {
    isUncopied.current = false;
    setIsCopied(true);
    setIsAsking(false);
    if (blocker.state === 'blocked') blocker.reset();
  };
  // An open question stays: its buttons must not change as one of them is pressed.
  const onUsed = () => {
    isUncopied.current = false;
    setIsCopied(true);
  };
  const leave = () => {
    isUncopied.current = false;
    setIsAsking(false);
    if (blocker.state === 'blocked') blocker.proceed();
    else onClose();
  };
  const requestClose = () => {
    if (isUncopied.current) setIsAsking(true);
    else onClose();
  };
  const copyAndLeave = async () => {
    if (item?.secret != null && (await copyText(item.secret))) {
      showToast({ title: 'Secret copied' });
      leave();
    } else showToast({ title: 'Not copied', detail: 'Select the text and copy it by hand.', tone: 'bad' });
  };

  return {
    item,
    show,
    requestClose,
    body:
      item === null ? null : item.secret === null ? (
        <LostSecret item={item} {...(rotate !== undefined && { rotate })} onRotated={show} />
      ) : (
        <View key={item.id} item={item} secret={item.secret} onCopied={onCopied} onUsed={onUsed} />
      ),
    footer: mustAsk ? (
      <LeaveQuestion need={need} isUsed={isCopied} onCopy={() => void copyAndLeave()} onLeave={leave} />
    ) : (
      <Button variant={isCopied ? 'primary' : 'secondary'} onClick={requestClose}>
        Done
      </Button>
    ),
  };
};

/** What a drawer or a dialog that shows the secret needs. */
export type SecretOnce = Omit<ReturnType<typeof useSecretOnce>, 'show'>;

type LeaveQuestionProps = {
  /** What the secret is needed for. */
  need: string;
  isUsed: boolean;
  onCopy: () => void;
  onLeave: () => void;
};

/** Asks before the user leaves a secret that was not copied. */
const LeaveQuestion = ({ need, isUsed, onCopy, onLeave }: LeaveQuestionProps) => {
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  return (
    <>
      <p role="alert" className={cx('mr-auto min-w-48 flex-1 font-medium', !isUsed && 'text-bad-text')}>
        {isUsed ? 'The secret is in use.' : `The secret has not been copied. ${need}`}
      </p>
      <Button onClick={onLeave}>Close without copying</Button>
      <Button ref={first} variant="primary" onClick={onCopy}>
        Copy and close
      </Button>
    </>
  );
};

type LostSecretProps<T> = {
  item: { id: string; name: string };
  rotate?: (id: string) => Promise<T>;
  onRotated: (item: T) => void;
};

/** Shown where an item was created but the response with its secret was lost: nobody has the secret. */
const LostSecret = <T,>({ item: { id, name }, rotate, onRotated }: LostSecretProps<T>) => {
  const problem = `${name} was created, but the connection was lost before its secret arrived.`;
  if (rotate === undefined)
    return <FormNotice tone="attention">{problem} Delete it and add it again to get a secret.</FormNotice>;
  return <RotateLostSecret problem={problem} rotate={() => rotate(id)} onRotated={onRotated} />;
};

type RotateLostSecretProps<T> = {
  problem: string;
  rotate: () => Promise<T>;
  onRotated: (item: T) => void;
};

const RotateLostSecret = <T,>({ problem, rotate, onRotated }: RotateLostSecretProps<T>) => {
  // The response contains a secret, so it is not cached.
  const { mutate, isPending, error } = useMutation({ mutationFn: rotate, gcTime: 0 });
  return (
    <div className="flex flex-col gap-4">
      <FormNotice
        tone="attention"
        action={
          <Button
            variant="primary"
            busy={isPending}
            onClick={() => mutate(undefined, { onSuccess: (item) => onRotated(item) })}
          >
            Create new secret
          </Button>
        }
      >
        {problem}
      </FormNotice>
      {error !== null && <FormNotice tone="bad">{describeFailedChange(error)}</FormNotice>}
    </div>
  );
};

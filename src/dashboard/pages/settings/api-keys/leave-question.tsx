import { useEffect, useRef } from 'react';
import { Button } from '../../../ui/button.tsx';

/** Asked where somebody is about to leave a secret that nobody has yet. */
export const LeaveQuestion = ({ onCopy, onLeave }: { onCopy: () => void; onLeave: () => void }) => {
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  return (
    <>
      <p role="alert" className="mr-auto min-w-48 flex-1 font-medium text-bad-text">
        The secret has not been copied. Without it the key is of no use.
      </p>
      <Button onClick={onLeave}>Close without it</Button>
      <Button ref={first} look="primary" onClick={onCopy}>
        Copy and close
      </Button>
    </>
  );
};

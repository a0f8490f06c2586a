import { useEffect, useRef } from 'react';
import { Button } from '../../ui/controls/button.tsx';

type Props = {
  /** What the secret is needed for. */
  need: string;
  onCopy: () => void;
  onLeave: () => void;
};

/** Asked where somebody is about to leave a secret that nobody has yet. */
export const LeaveQuestion = ({ need, onCopy, onLeave }: Props) => {
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  return (
    <>
      <p role="alert" className="mr-auto min-w-48 flex-1 font-medium text-bad-text">
        The secret has not been copied. {need}
      </p>
      <Button onClick={onLeave}>Close without it</Button>
      <Button ref={first} look="primary" onClick={onCopy}>
        Copy and close
      </Button>
    </>
  );
};

import { useRef, type ComponentProps } from 'react';
import { useFocusAfterControlRemoval } from '../browser/focus-fallback.ts';
import { Button } from '../controls/button.tsx';

type Props = Omit<ComponentProps<typeof Button>, 'children' | 'ref' | 'onClick'> & { onRetry: () => void };

/** “Try again” beside an error. It disappears with the error, and then the focus stays on the page or in the dialog. */
export const RetryButton = ({ onRetry, ...props }: Props) => {
  const button = useRef<HTMLButtonElement>(null);
  useFocusAfterControlRemoval(button);
  return (
    <Button {...props} ref={button} onClick={onRetry}>
      Try again
    </Button>
  );
};

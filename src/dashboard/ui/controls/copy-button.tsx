import { Check, Copy, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button, type ButtonVariant, IconButton } from './button.tsx';
import { copyText } from '../browser/copy-text.ts';

type Props = {
  text: string;
  /** The name of the button; with `variant` it is shown. */
  label?: string;
  variant?: ButtonVariant;
  className?: string;
  onCopied?: () => void;
};

/** Copies a text and shows the result for a moment. */
export const CopyButton = ({ text, label = 'Copy', variant, className, onCopied }: Props) => {
  const [outcome, setOutcome] = useState<'copied' | 'failed' | null>(null);
  useEffect(() => {
    if (outcome === null) return undefined;
    const timer = setTimeout(() => setOutcome(null), 2_000);
    return () => clearTimeout(timer);
  }, [outcome]);

  const copy = async () => {
    const copied = await copyText(text);
    setOutcome(copied ? 'copied' : 'failed');
    if (copied) onCopied?.();
  };
  const icon =
    outcome === 'copied' ? (
      <Check className="size-4 text-good-text" />
    ) : outcome === 'failed' ? (
      <X className="size-4" />
    ) : (
      <Copy className="size-4" />
    );
  const shownLabel =
    outcome === 'copied' ? 'Copied' : outcome === 'failed' ? 'Not copied: select the text instead' : label;
  return (
    <>
      {variant === undefined ? (
        <IconButton label={shownLabel} icon={icon} className={className} onClick={() => void copy()} />
      ) : (
        <Button variant={variant} icon={icon} className={className} onClick={() => void copy()}>
          {shownLabel}
        </Button>
      )}
      <output className="sr-only">{outcome !== null && shownLabel}</output>
    </>
  );
};

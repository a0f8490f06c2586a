import { Check, Lock } from 'lucide-react';
import type { Scope } from '#contract/scope.ts';

type Props = { scope: string; held: readonly Scope[] | undefined };

/** The scope that an endpoint takes, and whether this session holds it. */
export const ScopeMark = ({ scope, held }: Props) => {
  if (scope === 'none') return <span className="text-sm text-faint">no token</span>;
  if (scope === 'any') return <span className="text-sm text-muted">any token</span>;
  if (scope === 'any-read') return <span className="text-sm text-muted">any read scope</span>;
  const isHeld = held === undefined ? undefined : held.some((each) => each === scope);
  return (
    <span
      className="inline-flex items-center gap-1.5 text-sm text-muted"
      data-hint={
        isHeld === undefined ? undefined : isHeld ? 'This session holds it' : 'This session does not hold it'
      }
    >
      <code className="font-mono">{scope}</code>
      {isHeld === true && (
        <>
          <Check aria-hidden className="size-3.5 text-good-text" />
          <span className="sr-only">, which this session holds</span>
        </>
      )}
      {isHeld === false && (
        <>
          <Lock aria-hidden className="size-3.5 text-attention-text" />
          <span className="sr-only">, which this session does not hold</span>
        </>
      )}
    </span>
  );
};

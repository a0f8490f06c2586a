import { ChevronRight, Check, Lock } from 'lucide-react';
import { useId } from 'react';
import type { Scope } from '#contract/scope.ts';
import { cx } from '../../ui/browser/cx.ts';
import { PathText } from './code-text.tsx';
import { OperationDetails } from './operation-details.tsx';
import type { Operation, Reference } from './reference.ts';

type Props = {
  operation: Operation;
  reference: Reference;
  baseUrl: string;
  held: readonly Scope[] | undefined;
  isOpen: boolean;
  onToggle: () => void;
};

/** One endpoint: its summary, and its details while open. */
export const OperationEntry = ({ isOpen, onToggle, ...props }: Props) => {
  const { operation, held } = props;
  const { id, method, path, summary, scope } = operation;
  const detailsId = useId();
  return (
    <li id={id} className="scroll-mt-4">
      <h3>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? detailsId : undefined}
          onClick={onToggle}
          className="flex min-h-11 w-full items-start gap-2 px-3 py-2.5 text-left hover:bg-hover/60 focus-visible:-outline-offset-2 md:items-center md:py-1.5"
        >
          <ChevronRight
            aria-hidden
            className={cx(
              'mt-0.5 size-4 shrink-0 text-muted transition-transform md:mt-0',
              isOpen && 'rotate-90',
            )}
          />
          <span className="flex min-w-0 flex-1 flex-col gap-x-4 gap-y-0.5 md:flex-row md:items-baseline">
            <span className="flex min-w-0 items-baseline gap-2 font-mono text-sm md:flex-3">
              <span className="w-14 shrink-0 font-semibold">{method}</span>
              <span className="min-w-0 break-words">
                <PathText path={path} />
              </span>
            </span>
            <span className="min-w-0 md:flex-2">{summary}</span>
            <span className="shrink-0 md:w-40">
              <ScopeMark scope={scope} held={held} />
            </span>
          </span>
        </button>
      </h3>
      {isOpen && (
        <section id={detailsId} aria-label={`${method} ${path}`}>
          <OperationDetails {...props} />
        </section>
      )}
    </li>
  );
};

type ScopeMarkProps = { scope: string; held: readonly Scope[] | undefined };

/** The scope that an endpoint needs, and whether this session has it. */
const ScopeMark = ({ scope, held }: ScopeMarkProps) => {
  if (scope === 'none') return <span className="text-sm text-faint">no token</span>;
  if (scope === 'any') return <span className="text-sm text-muted">any token</span>;
  if (scope === 'any-read') return <span className="text-sm text-muted">any read scope</span>;
  const isHeld = held === undefined ? undefined : held.some((each) => each === scope);
  return (
    <span
      className="inline-flex items-center gap-1.5 text-sm text-muted"
      data-hint={
        isHeld === undefined
          ? undefined
          : isHeld
            ? 'This session has this scope'
            : 'This session lacks this scope'
      }
    >
      <code className="font-mono">{scope}</code>
      {isHeld === true && (
        <>
          <Check aria-hidden className="size-3.5 text-good-text" />
          <span className="sr-only">, which this session has</span>
        </>
      )}
      {isHeld === false && (
        <>
          <Lock aria-hidden className="size-3.5 text-attention-text" />
          <span className="sr-only">, which this session lacks</span>
        </>
      )}
    </span>
  );
};

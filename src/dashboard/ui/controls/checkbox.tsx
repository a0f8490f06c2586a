import { Check, Minus } from 'lucide-react';
import { useId, type ComponentProps, type ReactNode } from 'react';
import { cx } from '../browser/cx.ts';

type Props = Omit<ComponentProps<'input'>, 'type'> & {
  /** Left out if `aria-label` names the box. */
  label?: ReactNode;
  help?: ReactNode;
  indeterminate?: boolean;
};

/** A check box: the browser's own control, restyled. Takes what `form.register(name)` returns. */
export const Checkbox = ({ label, help, indeterminate = false, className, ref, ...props }: Props) => {
  const helpId = useId();
  const box = (
    <span className="relative grid size-4 shrink-0 place-items-center">
      <input
        type="checkbox"
        aria-describedby={help === undefined ? undefined : helpId}
        {...props}
        ref={(input) => {
          if (input !== null) input.indeterminate = indeterminate;
          if (typeof ref === 'function') return ref(input);
          if (ref != null) ref.current = input;
          return undefined;
        }}
        className={cx(
          'peer col-start-1 row-start-1 size-4 cursor-pointer appearance-none rounded-sm border border-control bg-surface',
          'checked:border-accent-fill checked:bg-accent-fill indeterminate:border-accent-fill indeterminate:bg-accent-fill disabled:opacity-55',
          // The target is larger than the box: 24 px, 44 px under touch.
          'before:absolute before:-inset-1 touch:before:-inset-3.5',
        )}
      />
      {/* A table has many clear boxes, and the marks are half of the elements of one. */}
      {(props.checked !== false || indeterminate) && marks}
    </span>
  );
  if (label === undefined) return className === undefined ? box : <span className={className}>{box}</span>;
  return (
    <div className={className}>
      <label className="flex min-h-6 cursor-pointer items-center gap-2.5">
        {box}
        <span>{label}</span>
      </label>
      {help !== undefined && (
        <p id={helpId} className="ml-6.5 text-sm text-muted">
          {help}
        </p>
      )}
    </div>
  );
};

const markClass =
  'pointer-events-none col-start-1 row-start-1 z-1 hidden size-3 stroke-3 text-on-accent forced-colors:text-[CanvasText]';
/** Both marks follow the state of the input: Chromium does not restyle a mark that replaces another. */
const marks = (
  <>
    <Minus aria-hidden className={cx(markClass, 'peer-indeterminate:block')} />
    <Check aria-hidden className={cx(markClass, 'peer-checked:block peer-indeterminate:hidden')} />
  </>
);

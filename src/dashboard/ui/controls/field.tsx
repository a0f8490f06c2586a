import { createContext, use, useId, type ReactNode } from 'react';

type FieldIds = { id: string; describedBy: string | undefined; isInvalid: boolean; isRequired: boolean };
const FieldContext = createContext<FieldIds | null>(null);

/** The attributes of a control inside a `Field`. */
export const useFieldControl = () => {
  const field = use(FieldContext);
  if (field === null) return {};
  return {
    id: field.id,
    'aria-describedby': field.describedBy,
    'aria-invalid': field.isInvalid || undefined,
    'aria-required': field.isRequired || undefined,
  };
};

/** The name of the control for parts of the kit that are labelled by an element. */
export const useFieldLabelId = (): string | undefined => {
  const field = use(FieldContext);
  return field === null ? undefined : `${field.id}-label`;
};

/** After the label of an optional field. The space separates words for screen readers. */
export const optionalMark = (
  <>
    {' '}
    <span className="text-sm font-normal text-faint">optional</span>
  </>
);

type Props = {
  label: string;
  help?: ReactNode;
  error?: ReactNode;
  /** Marks a field as optional; most are required. */
  optional?: boolean;
  aside?: ReactNode;
  children: ReactNode;
};

/** Label above, control, help and error below. Errors are announced. */
export const Field = ({ label, help, error, optional = false, aside, children }: Props) => {
  const id = useId();
  const describedBy = [error === undefined ? '' : `${id}-error`, help === undefined ? '' : `${id}-help`]
    .join(' ')
    .trim();
  return (
    <FieldContext
      value={{
        id,
        describedBy: describedBy || undefined,
        isInvalid: error !== undefined,
        isRequired: !optional,
      }}
    >
      <div className="flex flex-col gap-1.5">
        <div className="flex items-baseline justify-between gap-3">
          <label id={`${id}-label`} htmlFor={id} className="font-medium">
            {label}
            {optional && optionalMark}
          </label>
          {aside}
        </div>
        {children}
        <p id={`${id}-error`} aria-live="polite" className="text-sm text-bad-text empty:hidden">
          {error}
        </p>
        {help !== undefined && (
          <p id={`${id}-help`} className="text-sm text-muted">
            {help}
          </p>
        )}
      </div>
    </FieldContext>
  );
};

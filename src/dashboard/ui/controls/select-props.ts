import type { ReactNode } from 'react';
import { cx } from '../browser/cx.ts';
import { controlClass } from './text-input.tsx';

type Option = { value: string; label: string; detail?: ReactNode };

export type SelectProps<V extends string> = {
  options: readonly (Option & { value: V })[];
  value: V | null;
  onChange: (value: V) => void;
  onBlur?: () => void;
  /** Called when the list opens and closes. The fallback, a native select, does not call it. */
  onOpenChange?: (isOpen: boolean) => void;
  placeholder?: string;
  disabled?: boolean;
  /** The name outside of a `Field`. */
  'aria-label'?: string;
  className?: string;
};

export const selectClass = cx(
  controlClass,
  'flex h-(--control-height) cursor-pointer items-center gap-2 px-2.5 text-left',
);

import { Select as Kit } from '@base-ui/react/select';
import { Check, ChevronsUpDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '../browser/cx.ts';
import { useFieldControl, useFieldLabelId } from './field.tsx';
import { popupClass } from './popup-class.ts';
import { controlClass } from './text-input.tsx';

type Option<V extends string> = { value: V; label: string; detail?: ReactNode };

type Props<V extends string> = {
  options: readonly Option<V>[];
  value: V | null;
  onChange: (value: V) => void;
  onBlur?: () => void;
  placeholder?: string;
  disabled?: boolean;
  /** The name outside of a `Field`. */
  'aria-label'?: string;
  className?: string;
};

/** One of several. Within a form, give it `field.value` and `field.onChange` of a react-hook-form `Controller`. */
export const Select = <V extends string>({
  options,
  value,
  onChange,
  onBlur,
  placeholder = 'Choose…',
  disabled = false,
  className,
  ...rest
}: Props<V>) => {
  const { id, ...field } = useFieldControl();
  const labelId = useFieldLabelId();
  return (
    <Kit.Root
      items={[...options]}
      value={value}
      disabled={disabled}
      modal={false}
      onValueChange={(next) => {
        if (next !== null) onChange(next);
      }}
    >
      <Kit.Trigger
        {...field}
        {...(id !== undefined && { id })}
        aria-labelledby={rest['aria-label'] === undefined ? labelId : undefined}
        aria-label={rest['aria-label']}
        onBlur={onBlur}
        className={cx(
          controlClass,
          'flex h-(--control-height) cursor-pointer items-center gap-2 px-2.5 text-left',
          className,
        )}
      >
        <Kit.Value
          placeholder={placeholder}
          className="min-w-0 flex-1 truncate data-placeholder:text-faint"
        />
        <Kit.Icon className="text-muted">
          <ChevronsUpDown aria-hidden className="size-4" />
        </Kit.Icon>
      </Kit.Trigger>
      <Kit.Portal>
        <Kit.Positioner sideOffset={4} alignItemWithTrigger={false} className="z-40 outline-none">
          <Kit.Popup className={cx(popupClass, 'min-w-(--anchor-width) p-1')}>
            <Kit.List>
              {options.map((option) => (
                <Kit.Item
                  key={option.value}
                  value={option.value}
                  className="flex min-h-8 cursor-default items-center gap-2.5 rounded-sm px-2.5 py-1 outline-none select-none touch:min-h-11 data-highlighted:bg-hover"
                >
                  <span className="grid size-4 shrink-0 place-items-center text-accent">
                    <Kit.ItemIndicator render={<Check aria-hidden className="size-4" />} />
                  </span>
                  <span className="min-w-0">
                    <Kit.ItemText>{option.label}</Kit.ItemText>
                    {option.detail !== undefined && (
                      <span className="block text-sm text-muted">{option.detail}</span>
                    )}
                  </span>
                </Kit.Item>
              ))}
            </Kit.List>
          </Kit.Popup>
        </Kit.Positioner>
      </Kit.Portal>
    </Kit.Root>
  );
};

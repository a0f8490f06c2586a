import { Select as Kit } from '@base-ui/react/select';
import { Check, ChevronsUpDown } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { cx } from '../browser/cx.ts';
import { useFieldControl, useFieldLabelId } from './field.tsx';
import { popupClass } from './popup-class.ts';
import { selectClass, type SelectProps } from './select-props.ts';
import { popupItemClass } from './popup-item-class.ts';

/** A select whose list has been opened. It replaces the closed one, and looks the same. */
export const OpenedSelect = ({
  options,
  value,
  onChange,
  onBlur,
  onOpenChange,
  placeholder = 'Choose…',
  disabled = false,
  className,
  ...rest
}: SelectProps<string>) => {
  const { id, ...field } = useFieldControl();
  const labelId = useFieldLabelId();
  const [isOpen, setIsOpen] = useState(true);
  const trigger = useRef<HTMLButtonElement>(null);
  const popup = useRef<HTMLDivElement>(null);
  /** The default of the kit is the element that had the focus when the list took it. On a slow computer, this may be an option. */
  const focusedAfterClose = () => {
    const { activeElement } = document;
    const isElsewhere = activeElement !== document.body && popup.current?.contains(activeElement) === false;
    return isElsewhere ? false : trigger.current;
  };
  useEffect(() => {
    if (!isOpen || onOpenChange === undefined) return undefined;
    onOpenChange(true);
    return () => onOpenChange(false);
  }, [isOpen, onOpenChange]);
  return (
    <Kit.Root
      open={isOpen}
      onOpenChange={setIsOpen}
      items={[...options]}
      value={value}
      disabled={disabled}
      modal={false}
      onValueChange={(next) => {
        if (next !== null) onChange(next);
      }}
    >
      <Kit.Trigger
        ref={trigger}
        {...field}
        {...(id !== undefined && { id })}
        aria-labelledby={rest['aria-label'] === undefined ? labelId : undefined}
        aria-label={rest['aria-label']}
        onBlur={onBlur}
        className={cx(selectClass, className)}
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
          <Kit.Popup
            ref={popup}
            finalFocus={focusedAfterClose}
            className={cx(popupClass, 'min-w-(--anchor-width) p-1')}
          >
            <Kit.List>
              {options.map((option) => (
                <Kit.Item key={option.value} value={option.value} className={cx(popupItemClass, 'py-1')}>
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

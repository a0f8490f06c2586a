import { Autocomplete as Kit } from '@base-ui/react/autocomplete';
import type { ComponentProps } from 'react';
import { cx } from '../browser/cx.ts';
import {
  ComboboxPopup,
  keepChoiceOnEscape,
  usePressedOptions,
  type ComboboxOption,
} from './combobox-popup.tsx';
import { useFieldControl } from './field.tsx';
import { controlClass } from './text-input.tsx';

type Props = Omit<ComponentProps<typeof Kit.Input>, 'value' | 'onChange' | 'onBlur' | 'className'> & {
  value: string;
  onChange: (text: string) => void;
  /** For the typed text. */
  suggestions: readonly ComboboxOption[];
  /** Whether suggestions are shown, if there are any. */
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
};

/** One line of any text, with suggestions. Enter takes a suggestion only after the arrow keys chose it. */
export const SuggestingInput = ({ value, onChange, suggestions, isOpen, onOpenChange, ...props }: Props) => {
  const { id, ...field } = useFieldControl();
  const { shown, onPress, release } = usePressedOptions(suggestions);
  // An open list hides the rest of the page from screen readers, so an empty one is not open.
  const isShown = isOpen && shown.length > 0;
  return (
    <Kit.Root
      items={shown}
      filter={null}
      openOnInputClick
      value={value}
      onValueChange={(text) => {
        release();
        onChange(text);
      }}
      open={isShown}
      onOpenChange={onOpenChange}
      itemToStringValue={(option) => option.value}
    >
      <Kit.Input
        spellCheck={false}
        {...field}
        {...(id !== undefined && { id })}
        {...props}
        onKeyDown={(event) => {
          keepChoiceOnEscape(event);
          props.onKeyDown?.(event);
        }}
        // Suggestions that arrive later must not open the list. The kit closes a list that is shown.
        onBlur={() => !isShown && onOpenChange(false)}
        className={cx(controlClass, 'h-(--control-height) px-2.5')}
      />
      <ComboboxPopup emptyText="" isLoading={false} onPress={onPress} />
    </Kit.Root>
  );
};

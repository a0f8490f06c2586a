import { Combobox as Kit } from '@base-ui/react/combobox';
import { ChevronsUpDown, X } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useAwaitedEnter } from '../browser/awaited-enter.ts';
import { cx } from '../browser/cx.ts';
import { takeTyped } from '../browser/type-ahead.ts';
import {
  ComboboxPopup,
  keepChoiceOnEscape,
  usePressedOptions,
  type ComboboxOption,
} from './combobox-popup.tsx';
import { useFieldControl } from './field.tsx';
import { controlClass } from './text-input.tsx';

type Common = {
  options: readonly ComboboxOption[];
  placeholder?: string;
  /** Called while typing, if the service searches; the options are then not filtered here. */
  onSearch?: (text: string) => void;
  /** Whether the options for the typed text are still to come. */
  isLoading?: boolean;
  emptyText?: string;
  'aria-label'?: string;
  /** Allows values that are not in the list; returns the label of their row. */
  createLabel?: (text: string) => string;
};

const label = (option: ComboboxOption) => option.label;
const isSame = (a: ComboboxOption, b: ComboboxOption) => a.value === b.value;

/** The typed text as the last option. */
const withTyped = (
  { options, createLabel }: { options: Common['options']; createLabel: Common['createLabel'] | undefined },
  typed: string,
) => {
  const text = typed.trim();
  if (
    createLabel === undefined ||
    text === '' ||
    options.some(({ value, label }) => value === text || label === text)
  )
    return [...options];
  return [...options, { value: text, label: text, detail: createLabel(text) }];
};

/** The options for the typed text. */
const useSearch = (
  { options, createLabel, onSearch }: Pick<Common, 'options' | 'createLabel' | 'onSearch'>,
  initialText = '',
) => {
  const [typed, setTyped] = useState(initialText);
  const { shown, onPress, release } = usePressedOptions(options);
  return {
    typed,
    onPress,
    hasOptions: shown.length > 0,
    search: {
      items: withTyped({ options: shown, createLabel }, typed),
      itemToStringLabel: label,
      isItemEqualToValue: isSame,
      onInputValueChange: (text: string) => {
        release();
        setTyped(text);
        onSearch?.(text);
      },
      ...(onSearch !== undefined && { filter: null }),
    },
  };
};

/** Enter takes the first match of the typed text, once the options for the text are there. */
const useEnteredMatch = (typed: string, isLoading: boolean, onInputValueChange: (text: string) => void) => {
  const list = useRef<HTMLDivElement>(null);
  // Without a search, an option is highlighted that nobody chose: the first one, or one that is chosen already.
  const isHighlightMeant = useRef(false);
  const { enter, enterFor, cancel } = useAwaitedEnter({
    text: typed,
    isSearching: isLoading,
    act: () => {
      const option = ['[data-highlighted]', '[role=option]']
        .map((selector) => list.current?.querySelector<HTMLElement>(selector))
        .find(Boolean);
      // A click on a chosen option would remove the option.
      if (option?.ariaSelected !== 'true') option?.click();
    },
  });
  return {
    list,
    enter,
    enterFor,
    cancel,
    isHighlightMeant: () => isHighlightMeant.current,
    highlighting: {
      autoHighlight: true,
      onInputValueChange: (text: string) => {
        isHighlightMeant.current = false;
        onInputValueChange(text);
      },
      onItemHighlighted: (_: unknown, { reason }: { reason: string }) => {
        isHighlightMeant.current = reason === 'keyboard' || reason === 'pointer';
      },
    },
    isHighlightMissing: () => list.current?.querySelector('[data-highlighted]') == null,
  };
};

/** One of many, found by typing. Enter takes the first match, once the options for the text are there. */
export const Combobox = ({
  value,
  onChange,
  placeholder,
  emptyText = 'No results.',
  isLoading = false,
  disabled = false,
  ...common
}: Common & {
  value: ComboboxOption | null;
  onChange: (option: ComboboxOption | null) => void;
  disabled?: boolean;
}) => {
  const chosen = value?.label ?? '';
  const { typed, search, onPress, hasOptions } = useSearch(common, chosen);
  const { list, enter, enterFor, cancel, highlighting, isHighlightMeant, isHighlightMissing } =
    useEnteredMatch(typed, isLoading, search.onInputValueChange);
  const [isOpen, setIsOpen] = useState(false);
  const isSearch = typed.trim() !== '' && typed !== chosen;
  const { id, ...field } = useFieldControl();
  const showChosen = useEffectEvent((text: string) => {
    if (text !== typed) search.onInputValueChange(text);
  });
  useEffect(() => showChosen(chosen), [chosen]);
  return (
    <Kit.Root
      {...search}
      {...highlighting}
      // The kit would replace a text that was not typed into the open list as soon as other options arrive.
      inputValue={typed}
      open={isOpen}
      onOpenChange={setIsOpen}
      value={value}
      onValueChange={onChange}
      disabled={disabled}
    >
      <div className="relative">
        <Kit.Input
          {...field}
          {...(id !== undefined && { id })}
          aria-label={common['aria-label']}
          placeholder={placeholder}
          onFocus={() => {
            const { text, hasEnter } = takeTyped();
            if (text === '') return;
            search.onInputValueChange(text);
            setIsOpen(true);
            if (hasEnter) enterFor(text);
          }}
          onKeyDown={(event) => {
            keepChoiceOnEscape(event);
            if (event.key !== 'Enter') return cancel();
            const isAwaited = isSearch && (isLoading || isHighlightMissing());
            const closes = !isSearch && !isHighlightMeant();
            if (!isOpen || event.nativeEvent.isComposing || !(isAwaited || closes)) return;
            event.preventDefault();
            event.preventBaseUIHandler();
            if (isAwaited) enter();
            else setIsOpen(false);
          }}
          className={cx(controlClass, 'h-(--control-height) pr-9 pl-2.5')}
        />
        <Kit.Trigger
          aria-label="Show all"
          className="absolute inset-y-0 right-0 grid w-8 place-items-center text-muted"
        >
          <ChevronsUpDown aria-hidden className="size-4" />
        </Kit.Trigger>
      </div>
      <ComboboxPopup
        emptyText={emptyText}
        isLoading={isLoading && !hasOptions}
        onPress={onPress}
        list={list}
      />
    </Kit.Root>
  );
};

/**
 * Several of many, shown as chips before the text; Backspace removes the last chip. Enter takes the first match, once
 * the options for the text are there. The list stays open, with the typed text, until Escape, a press outside or an
 * option that closes it.
 */
export const MultiCombobox = ({
  value,
  onChange,
  placeholder,
  emptyText = 'No results.',
  isLoading = false,
  ...common
}: Common & { value: readonly ComboboxOption[]; onChange: (options: ComboboxOption[]) => void }) => {
  const { typed, search, onPress, hasOptions } = useSearch(common);
  const [isOpen, setIsOpen] = useState(false);
  const { id, ...field } = useFieldControl();
  const { list, enter, cancel, highlighting, isHighlightMeant, isHighlightMissing } = useEnteredMatch(
    typed,
    isLoading,
    search.onInputValueChange,
  );
  const closesOnEnter = () => isOpen && typed.trim() === '' && !isHighlightMeant();
  const awaitsHighlight = () => typed.trim() !== '' && (isLoading || (isOpen && isHighlightMissing()));
  return (
    <Kit.Root
      {...search}
      {...highlighting}
      multiple
      open={isOpen}
      value={[...value]}
      onValueChange={(options) => {
        if (options.length > value.length && options.at(-1)?.closesList === true) setIsOpen(false);
        onChange(options);
      }}
      onOpenChange={(open, { reason, cancel }) => {
        if (reason === 'item-press') cancel();
        else setIsOpen(open);
      }}
    >
      <Kit.InputGroup>
        <Kit.Chips
          className={cx(
            controlClass,
            'flex max-h-40 min-h-(--control-height) flex-wrap items-center gap-1 overflow-y-auto p-1 focus-within:border-accent focus-within:outline-2 focus-within:-outline-offset-1 focus-within:outline-accent',
          )}
        >
          {value.map((option) => (
            <Kit.Chip
              key={option.value}
              className="flex h-6 max-w-full items-center gap-1 rounded-sm bg-hover pl-2 text-sm outline-none data-highlighted:bg-accent-soft forced-colors:data-highlighted:system-highlight touch:h-9"
            >
              <span className="truncate">{option.label}</span>
              <Kit.ChipRemove
                aria-label={`Remove ${option.label}`}
                className="grid size-6 place-items-center rounded-sm text-muted hover:text-ink touch:size-9"
              >
                <X aria-hidden className="size-3.5" />
              </Kit.ChipRemove>
            </Kit.Chip>
          ))}
          <Kit.Input
            {...field}
            {...(id !== undefined && { id })}
            aria-label={common['aria-label']}
            placeholder={value.length === 0 ? placeholder : ''}
            onKeyDown={(event) => {
              keepChoiceOnEscape(event);
              if (event.key !== 'Enter') cancel();
              else if (closesOnEnter() && !event.nativeEvent.isComposing) {
                event.preventDefault();
                event.preventBaseUIHandler();
                setIsOpen(false);
              } else if (awaitsHighlight() && !event.nativeEvent.isComposing) {
                // The first option may match only an earlier text, or be shown a moment before it is highlighted.
                event.preventDefault();
                event.preventBaseUIHandler();
                enter();
              }
            }}
            className="h-6 min-w-20 flex-1 bg-transparent px-1.5 outline-none placeholder:text-faint touch:h-9"
          />
        </Kit.Chips>
      </Kit.InputGroup>
      <ComboboxPopup
        emptyText={emptyText}
        isLoading={isLoading && !hasOptions}
        onPress={onPress}
        list={list}
      />
    </Kit.Root>
  );
};

import { Combobox as Kit } from '@base-ui/react/combobox';
import { Check, ChevronsUpDown, X } from 'lucide-react';
import {
  useEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
} from 'react';
import { useAwaitedEnter } from '../browser/awaited-enter.ts';
import { cx } from '../browser/cx.ts';
import { useFieldControl } from './field.tsx';
import { popupClass } from './popup-class.ts';
import { controlClass } from './text-input.tsx';
import { popupItemClass } from './popup-item-class.ts';

export type ComboboxOption = {
  value: string;
  label: string;
  /** Another name, beside the label. */
  alias?: ReactNode;
  detail?: ReactNode;
  /** Of several that are chosen one after another, this one is enough: choosing it closes the list. */
  closesList?: boolean;
};

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

/** Without an open list, Escape would clear the selection; it is left to the surrounding dialog. */
const keepChoiceOnEscape = (
  event: KeyboardEvent<HTMLInputElement> & { preventBaseUIHandler: () => void },
) => {
  const isOpen = event.currentTarget.getAttribute('aria-expanded') === 'true';
  if (event.key === 'Escape' && !isOpen) event.preventBaseUIHandler();
};

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

/** After a touch, the browser sends the click in a task of its own. */
const CLICK_FOLLOWS_MS = 300;

/** Keeps the options while one is pressed. If new results replaced them, the release would hit another option, or none. */
const usePressedOptions = (options: readonly ComboboxOption[]) => {
  const [pressed, setPressed] = useState<readonly ComboboxOption[]>();
  const release = () => setPressed(undefined);
  useEffect(() => {
    if (pressed === undefined) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const releaseIn = (ms: number) => () => {
      clearTimeout(timer);
      timer = setTimeout(() => setPressed(undefined), ms);
    };
    const listeners = {
      pointerdown: () => clearTimeout(timer),
      pointerup: releaseIn(CLICK_FOLLOWS_MS),
      click: releaseIn(0),
      pointercancel: releaseIn(0),
    };
    for (const [event, listener] of Object.entries(listeners)) window.addEventListener(event, listener);
    return () => {
      clearTimeout(timer);
      for (const [event, listener] of Object.entries(listeners)) window.removeEventListener(event, listener);
    };
  }, [pressed]);
  const onPress = ({ button }: PointerEvent) => {
    // A second press is on the options that the first one keeps.
    if (button === 0) setPressed((kept) => kept ?? options);
  };
  return { shown: pressed ?? options, onPress, release };
};

/** The options for the typed text. */
const useSearch = ({
  options,
  createLabel,
  onSearch,
}: Pick<Common, 'options' | 'createLabel' | 'onSearch'>) => {
  const [typed, setTyped] = useState('');
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

const GAP_PX = 4;
/** Above the control, the list leaves the label in view. */
const LABEL_PX = 26;
const listOffset = ({ side }: { side: string }) => (side === 'top' ? GAP_PX + LABEL_PX : GAP_PX);

type PopupProps = {
  emptyText: string;
  isLoading: boolean;
  onPress: (event: PointerEvent) => void;
  list?: RefObject<HTMLDivElement | null>;
};

const Popup = ({ emptyText, isLoading, onPress, list }: PopupProps) => (
  <Kit.Portal>
    <Kit.Positioner sideOffset={listOffset} className="z-40 outline-none">
      <Kit.Popup className={cx(popupClass, 'w-(--anchor-width) min-w-56')}>
        <Kit.Status className="px-3.5 py-2 text-muted empty:hidden">
          {isLoading ? 'Searching…' : null}
        </Kit.Status>
        {!isLoading && <Kit.Empty className="px-3.5 py-2 text-muted empty:hidden">{emptyText}</Kit.Empty>}
        <Kit.List ref={list} onPointerDownCapture={onPress} className="p-1 empty:hidden">
          {(option: ComboboxOption) => (
            <Kit.Item key={option.value} value={option} className={cx(popupItemClass, 'py-1')}>
              <span className="grid size-4 shrink-0 place-items-center text-accent">
                <Kit.ItemIndicator render={<Check aria-hidden className="size-4" />} />
              </span>
              <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3">
                <span className="max-w-full break-words">{option.label}</span>
                {option.alias}
              </span>
              {option.detail !== undefined && <span className="text-sm text-muted">{option.detail}</span>}
            </Kit.Item>
          )}
        </Kit.List>
      </Kit.Popup>
    </Kit.Positioner>
  </Kit.Portal>
);

/** One of many, found by typing. */
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
  const { search, onPress, hasOptions } = useSearch(common);
  const { id, ...field } = useFieldControl();
  return (
    <Kit.Root {...search} value={value} onValueChange={onChange} disabled={disabled}>
      <div className="relative">
        <Kit.Input
          {...field}
          {...(id !== undefined && { id })}
          aria-label={common['aria-label']}
          placeholder={placeholder}
          onKeyDown={keepChoiceOnEscape}
          className={cx(controlClass, 'h-(--control-height) pr-9 pl-2.5')}
        />
        <Kit.Trigger
          aria-label="Show all"
          className="absolute inset-y-0 right-0 grid w-8 place-items-center text-muted"
        >
          <ChevronsUpDown aria-hidden className="size-4" />
        </Kit.Trigger>
      </div>
      <Popup emptyText={emptyText} isLoading={isLoading && !hasOptions} onPress={onPress} />
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
  const list = useRef<HTMLDivElement>(null);
  // Without a text, an option is highlighted that nobody chose: the first one, or one that is chosen already.
  const isHighlightMeant = useRef(false);
  const closesOnEnter = () => isOpen && typed.trim() === '' && !isHighlightMeant.current;
  const awaitsHighlight = () =>
    typed.trim() !== '' &&
    (isLoading || (isOpen && list.current?.querySelector('[data-highlighted]') === null));
  const { enter, cancel } = useAwaitedEnter({
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
  return (
    <Kit.Root
      {...search}
      onInputValueChange={(text) => {
        isHighlightMeant.current = false;
        search.onInputValueChange(text);
      }}
      onItemHighlighted={(_, { reason }) => {
        isHighlightMeant.current = reason === 'keyboard' || reason === 'pointer';
      }}
      multiple
      autoHighlight
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
      <Popup emptyText={emptyText} isLoading={isLoading && !hasOptions} onPress={onPress} list={list} />
    </Kit.Root>
  );
};

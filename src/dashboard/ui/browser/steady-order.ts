import { useState } from 'react';
import { useClock } from './clock.ts';

/** Without input for this long, nobody is about to click: a wall display may reorder. */
const IDLE_MS = 60_000;

let inputMs = performance.now();
const recordInput = () => {
  inputMs = performance.now();
};
for (const kind of ['pointermove', 'pointerdown', 'keydown', 'wheel', 'scroll'])
  window.addEventListener(kind, recordInput, { passive: true, capture: true });

const useIsIdle = (): boolean => useClock(() => performance.now() - inputMs > IDLE_MS);

type Options<T> = {
  idOf: (item: T) => string;
  /** The list that the items belong to, such as its filters. Another list has its own order. */
  list: string;
  /** Shows an item that left the list. Left out, or `undefined`: such items disappear at once. */
  displayRemoved?: (item: T) => T | undefined;
};

type Order<T> = { list: string; items: readonly T[]; shown: readonly T[] };

const arrange = <T>(
  items: readonly T[],
  shown: readonly T[],
  { idOf, displayRemoved }: Options<T>,
): readonly T[] => {
  const byId = new Map(items.map((item) => [idOf(item), item]));
  const kept = shown.flatMap((old) => byId.get(idOf(old)) ?? displayRemoved?.(old) ?? []);
  const known = new Set(shown.map(idOf));
  return [...kept, ...items.filter((item) => !known.has(idOf(item)))];
};

/**
 * Keeps rows in their place while someone uses the page: changed items stay where they are, new ones come last. The
 * order of `items` applies to another list, and after a minute without input.
 */
export const useSteadyOrder = <T>(items: readonly T[], options: Options<T>): readonly T[] => {
  const { list } = options;
  const [order, setOrder] = useState<Order<T>>({ list, items, shown: items });
  const isIdle = useIsIdle();
  if (order.items === items && order.list === list) return order.shown;
  const startsOver = order.list !== list || order.shown.length === 0 || isIdle;
  const shown = startsOver ? items : arrange(items, order.shown, options);
  setOrder({ list, items, shown });
  return shown;
};

/**
 * Keeps a value while the pointer or the focus is inside an element, so that nothing changes under them. The newest
 * value follows when they leave, and after a minute without input.
 */
export const useHeldValue = <T>(value: T) => {
  const [isPointed, setIsPointed] = useState(false);
  const [isFocused, setIsFocused] = useState(false);
  const [held, setHeld] = useState(value);
  const isIdle = useIsIdle();
  const isHeld = (isPointed || isFocused) && !isIdle;
  if (!isHeld && held !== value) setHeld(value);
  return {
    held: isHeld ? held : value,
    /** For the element. */
    holders: {
      onPointerEnter: () => setIsPointed(true),
      onPointerLeave: () => setIsPointed(false),
      onFocus: () => setIsFocused(true),
      onBlur: () => setIsFocused(false),
    },
  };
};

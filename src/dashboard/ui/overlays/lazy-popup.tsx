import { useEffect, type ComponentType, type RefObject } from 'react';
import { createPortal } from 'react-dom';
import { cx } from '../browser/cx.ts';
import { lazyPart, type LoadRetry } from '../browser/lazy-part.tsx';
import { popupClass } from '../controls/popup-class.ts';
import { LoadFailure } from '../feedback/load-failure.tsx';
import type { DialogState } from './dialog.tsx';

type PopupProps = {
  isOpen: boolean;
  /** Forms are passed what they created: `null` for nothing. */
  onClose: (created: null) => void;
  /** The button that opened it. */
  anchor?: RefObject<HTMLElement | null>;
};

const WIDTH_PX = 288;
const HEIGHT_PX = 150;
const MARGIN_PX = 8;

/** Below the button, or above it if there is no room. Without one, or on a phone, at the bottom of the window. */
const placeAt = (anchor: HTMLElement | null | undefined) => {
  const box = anchor?.getBoundingClientRect();
  if (box === undefined) return { bottom: '5rem', left: `max(1rem, calc(50vw - ${WIDTH_PX / 2}px))` };
  const left = Math.max(MARGIN_PX, Math.min(box.left, window.innerWidth - WIDTH_PX - MARGIN_PX));
  const isRoomBelow = box.bottom + HEIGHT_PX < window.innerHeight;
  return isRoomBelow ? { left, top: box.bottom + 4 } : { left, bottom: window.innerHeight - box.top + 4 };
};

/** In place of an overlay whose code did not load. Opening it again loads again. */
const PopupFailure = ({ isOpen, onClose, anchor, onRetry, onForget }: PopupProps & LoadRetry) => {
  useEffect(() => (isOpen ? onForget : undefined), [isOpen, onForget]);
  if (!isOpen) return null;
  const close = () => {
    onClose(null);
    anchor?.current?.focus();
  };
  return createPortal(
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Esc and leaving it close it
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- the browser would hide a <dialog>
      role="dialog"
      aria-label="Could not load this part of the page"
      tabIndex={-1}
      className={cx(popupClass, 'fixed z-40 p-3')}
      style={{ width: WIDTH_PX, ...placeAt(anchor?.current) }}
      onKeyDown={({ key }) => {
        if (key === 'Escape') close();
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) onClose(null);
      }}
    >
      <LoadFailure onRetry={onRetry} hasFocus />
    </div>,
    document.body,
  );
};

/** A menu, a popover or a drawer whose code loads on first use. If it does not load, the page says so and stays. */
export const lazyPopup = <P extends PopupProps>(load: () => Promise<ComponentType<P>>): ComponentType<P> =>
  lazyPart(load, PopupFailure);

const DialogFailure = ({
  state: { isOpen, onClose, onClosed },
  ...retry
}: { state: DialogState } & LoadRetry) => (
  <PopupFailure
    {...retry}
    isOpen={isOpen}
    onClose={() => {
      onClose();
      onClosed?.();
    }}
  />
);

/** A dialog whose code loads on first use. If it does not load, the page says so and stays. */
export const lazyDialog = <P extends { state: DialogState }>(
  load: () => Promise<ComponentType<P>>,
): ComponentType<P> => lazyPart(load, DialogFailure);

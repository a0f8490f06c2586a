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

/** Below the button, or above it if there is no room. Without a button, in the middle of the window. */
const placeAt = (anchor: HTMLElement | null | undefined) => {
  const { innerWidth, innerHeight } = window;
  const { left, top, bottom } = anchor?.getBoundingClientRect() ?? {
    left: (innerWidth - WIDTH_PX) / 2,
    top: innerHeight / 2,
    bottom: innerHeight / 2,
  };
  return {
    width: WIDTH_PX,
    left: Math.max(MARGIN_PX, Math.min(left, innerWidth - WIDTH_PX - MARGIN_PX)),
    top: bottom + HEIGHT_PX < innerHeight ? bottom + MARGIN_PX : top - HEIGHT_PX,
  };
};

/** In place of an overlay whose code did not load. Opening it again loads again. */
const PopupFailure = ({ isOpen, onClose, anchor, onRetry, onForget }: PopupProps & LoadRetry) => {
  // Its memoised form is larger, and it is part of every page.
  'use no memo';
  useEffect(() => (isOpen ? onForget : undefined), [isOpen, onForget]);
  if (!isOpen) return null;
  return createPortal(
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Esc and leaving it close it
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- the browser would hide a <dialog>
      role="dialog"
      aria-label="Not loaded"
      tabIndex={-1}
      className={cx(popupClass, 'fixed z-40 p-3')}
      style={placeAt(anchor?.current)}
      onKeyDown={({ key }) => {
        if (key !== 'Escape') return;
        onClose(null);
        anchor?.current?.focus();
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

const DialogFailure = ({ state, ...retry }: { state: DialogState } & LoadRetry) => {
  'use no memo';
  const close = () => {
    state.onClose();
    state.onClosed?.();
  };
  return <PopupFailure {...retry} isOpen={state.isOpen} onClose={close} />;
};

/** A dialog whose code loads on first use. If it does not load, the page says so and stays. */
export const lazyDialog = <P extends { state: DialogState }>(
  load: () => Promise<ComponentType<P>>,
): ComponentType<P> => lazyPart(load, DialogFailure);

import { useEffect, useState, type ComponentType, type RefObject } from 'react';
import { createPortal } from 'react-dom';
import { cx } from '../browser/cx.ts';
import { keepFocusOnPage } from '../browser/focus-fallback.ts';
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

/** In place of an overlay whose code did not load. Escape closes it, and so does moving the focus out. */
const OpenFailure = ({ onClose, anchor, ...retry }: Omit<PopupProps, 'isOpen'> & LoadRetry) => {
  // Its memoised form is larger, and it is part of every page.
  'use no memo';
  const [opener] = useState(() => anchor?.current ?? document.activeElement);
  // It may close long after Escape, if it closes with the URL.
  useEffect(() => keepFocusOnPage, []);
  return createPortal(
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Escape and leaving it close it
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- the browser would hide a <dialog>
      role="dialog"
      aria-label="Could not load"
      tabIndex={-1}
      className={cx(popupClass, 'fixed z-40 p-3')}
      style={placeAt(anchor?.current)}
      onKeyDown={({ key }) => {
        if (key !== 'Escape') return;
        onClose(null);
        if (opener instanceof HTMLElement) opener.focus();
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        // Without the focus of the document, the user has only changed the browser tab.
        if (document.hasFocus() && !currentTarget.contains(relatedTarget)) onClose(null);
      }}
    >
      <LoadFailure {...retry} hasFocus />
    </div>,
    document.body,
  );
};

const PopupFailure = ({ isOpen, onClose, anchor, ...retry }: PopupProps & LoadRetry) => {
  'use no memo';
  const { onForget } = retry;
  // A render while it was closed may have failed as well: opening it loads again.
  useEffect(() => {
    if (!isOpen) onForget();
  });
  return isOpen ? (
    <OpenFailure onClose={onClose} {...(anchor !== undefined && { anchor })} {...retry} />
  ) : null;
};

/** A menu, a popover or a drawer whose code loads on first use. A failed load shows a message and keeps the page. */
export const lazyPopup = <P extends PopupProps>(load: () => Promise<ComponentType<P>>): ComponentType<P> =>
  lazyPart(load, PopupFailure);

/** A drawer whose code loads on first use. `stateOf` reads its state from its props. */
export const lazyDrawer = <P extends object>(
  load: () => Promise<ComponentType<P>>,
  stateOf: (props: P) => DialogState,
): ComponentType<P> => {
  const DrawerFailure = (props: P & LoadRetry) => {
    'use no memo';
    const { isRetrying, onRetry, onForget } = props;
    const { isOpen, onClose, onClosed } = stateOf(props);
    const close = () => {
      onClose();
      onClosed?.();
    };
    return <PopupFailure {...{ isRetrying, onRetry, onForget, isOpen }} onClose={close} />;
  };
  return lazyPart(load, DrawerFailure);
};

/** A dialog whose code loads on first use. A failed load shows a message and keeps the page. */
export const lazyDialog = <P extends { state: DialogState }>(
  load: () => Promise<ComponentType<P>>,
): ComponentType<P> => lazyDrawer(load, ({ state }) => state);

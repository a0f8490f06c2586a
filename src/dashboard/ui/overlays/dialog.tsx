import { Dialog as Kit } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { useEffect, type ReactNode, type RefObject } from 'react';
import { cx } from '../browser/cx.ts';
import { dialogRef, drawerRef, scrimRef } from '../browser/document-mark.ts';
import { keepFocusOnPage } from '../browser/focus-fallback.ts';

/** Whether a dialog is open, and how it closes. */
export type DialogState = {
  isOpen: boolean;
  onClose: () => void;
  /** Called after the closing animation. */
  onClosed?: () => void;
  /** False: Esc and the backdrop do not close the dialog. */
  canDismiss?: boolean;
};

type DialogProps = {
  state: DialogState;
  title: string;
  description?: ReactNode;
  children?: ReactNode;
  /** The buttons, at the end. */
  footer?: ReactNode;
  /** The element to focus. Default: the first control. (React's `autoFocus` breaks returning the focus.) */
  initialFocus?: RefObject<HTMLElement | null>;
  size?: 'small' | 'medium' | 'large';
};

const widths = { small: 'max-w-100', medium: 'max-w-130', large: 'max-w-200' };

const Backdrop = () => (
  <Kit.Backdrop
    ref={scrimRef}
    data-scrim
    // A dialog over a drawer dims the drawer.
    forceRender
    className="fixed inset-0 z-30 bg-scrim transition-opacity duration-120 data-ending-style:opacity-0 data-starting-style:opacity-0"
  />
);

const Head = ({ title, description, state }: Pick<DialogProps, 'title' | 'description' | 'state'>) => (
  <div className="flex items-start gap-3 px-5 pt-4">
    <div className="min-w-0 flex-1">
      <Kit.Title className="text-lg font-semibold">{title}</Kit.Title>
      {description !== undefined && (
        <Kit.Description className="mt-0.5 text-muted">{description}</Kit.Description>
      )}
    </div>
    {/* The place stays, so that the content does not move when the dialog can be closed again. */}
    <div className="-mt-0.5 -mr-2 size-(--control-height) shrink-0 touch:-mt-2.5">
      {state.canDismiss !== false && (
        <Kit.Close
          aria-label="Close"
          className="inline-flex size-full items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink"
        >
          <X aria-hidden className="size-4" />
        </Kit.Close>
      )}
    </div>
  </div>
);

/** The footer is always visible. In a short window the title scrolls with the content, which has little room otherwise. */
const Body = ({
  contentClass,
  children,
  footer,
  ...head
}: Pick<DialogProps, 'title' | 'description' | 'state' | 'children' | 'footer'> & {
  contentClass: string;
}) => (
  <>
    <div className="flex min-h-0 flex-auto flex-col overflow-y-auto short:block">
      <Head {...head} />
      <div className={cx('min-h-0 flex-auto overflow-y-auto', contentClass)}>{children}</div>
    </div>
    {footer !== undefined && (
      <div className="flex shrink-0 flex-wrap items-center justify-end gap-2 border-t border-hairline px-5 py-3">
        {footer}
      </div>
    )}
  </>
);

const rootProps = ({ isOpen, onClose, onClosed, canDismiss = true }: DialogState) => ({
  open: isOpen,
  onOpenChange: (open: boolean) => {
    if (!open && canDismiss) onClose();
  },
  onOpenChangeComplete: (open: boolean) => {
    if (open) return;
    onClosed?.();
    keepFocusOnPage();
  },
  disablePointerDismissal: !canDismiss,
});

/** A dialog can disappear with the part of the page that opened it, without closing first. */
const useFocusAfterRemoval = () => useEffect(() => keepFocusOnPage, []);

/** A question or a short form over the page. Load it lazily: the kit's dialog is not part of any first page. */
export const Dialog = (props: DialogProps) => {
  const { initialFocus, size = 'medium', ...parts } = props;
  useFocusAfterRemoval();
  return (
    <Kit.Root {...rootProps(props.state)}>
      <Kit.Portal>
        <Backdrop />
        <Kit.Viewport className="fixed inset-0 z-30 flex items-start justify-center p-4 pt-[10dvh]">
          <Kit.Popup
            ref={dialogRef}
            {...(initialFocus !== undefined && { initialFocus })}
            className={cx(
              'flex max-h-full w-full flex-col rounded-md bg-raised shadow-pop outline-none',
              'transition-[opacity,translate] duration-120 data-ending-style:opacity-0 data-starting-style:translate-y-1 data-starting-style:opacity-0',
              widths[size],
            )}
          >
            <Body {...parts} contentClass="px-5 pt-3 pb-5" />
          </Kit.Popup>
        </Kit.Viewport>
      </Kit.Portal>
    </Kit.Root>
  );
};

/** A longer form at the side; the page stays visible. Full width on a phone. */
export const Drawer = (props: Omit<DialogProps, 'size'>) => {
  const { initialFocus, ...parts } = props;
  useFocusAfterRemoval();
  return (
    <Kit.Root {...rootProps(props.state)}>
      <Kit.Portal>
        <Backdrop />
        <Kit.Viewport className="fixed inset-0 z-30 flex justify-end">
          <Kit.Popup
            ref={drawerRef}
            {...(initialFocus !== undefined && { initialFocus })}
            className={cx(
              'flex h-dvh w-full max-w-130 flex-col bg-raised shadow-pop outline-none md:border-l md:border-hairline',
              'transition-[opacity,translate] duration-140 data-ending-style:translate-x-4 data-ending-style:opacity-0 data-starting-style:translate-x-4 data-starting-style:opacity-0',
            )}
          >
            <Body {...parts} contentClass="px-5 py-4" />
          </Kit.Popup>
        </Kit.Viewport>
      </Kit.Portal>
    </Kit.Root>
  );
};

import { Toast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { cx } from '../browser/cx.ts';
import { useFocusAfterControlRemoval } from '../browser/focus-fallback.ts';
import { receiveToasts, type ToastMessage } from './toast.ts';

const SHOWN_MS = 6_000;
/** Toasts with an action stay longer. */
const UNDO_MS = 12_000;

const List = () => {
  const { toasts, add, close } = Toast.useToastManager<ToastMessage>();
  useEffect(
    () =>
      receiveToasts({
        show: (message) => {
          add({
            ...(message.key !== undefined && { id: message.key }),
            title: message.title,
            description: message.detail,
            timeout: message.action === undefined ? SHOWN_MS : UNDO_MS,
            priority: message.tone === 'bad' ? 'high' : 'low',
            data: message,
          });
        },
        close,
      }),
    [add, close],
  );
  return toasts.map((toast) => <ShownToast key={toast.id} toast={toast} close={close} />);
};

type ShownToastProps = { toast: Toast.Root.ToastObject<ToastMessage>; close: (id: string) => void };

const ShownToast = ({ toast, close }: ShownToastProps) => {
  const content = useRef<HTMLDivElement>(null);
  useFocusAfterControlRemoval(content);
  const action = toast.data?.action;
  return (
    <Toast.Root
      toast={toast}
      swipeDirection={['right', 'down']}
      // Base UI announces a failure through a copy of its text, and hides the toast until it has the focus.
      {...(toast.data?.tone === 'bad' && { 'aria-hidden': false, 'aria-live': 'off' })}
      className="rounded-md bg-ink text-canvas shadow-pop transition-opacity duration-140 data-limited:hidden data-ending-style:opacity-0 data-starting-style:opacity-0"
    >
      <Toast.Content
        ref={content}
        className="flex items-start gap-2 py-2 pr-2 pl-4 lg:flex-wrap lg:gap-x-1 lg:pl-3"
      >
        {/* In the navigation it leaves room for the close button only, so that the action is below it. */}
        <div className="min-w-0 flex-1 py-1.5 lg:basis-[calc(100%-2.25rem)] lg:touch:basis-[calc(100%-3rem)]">
          <Toast.Title
            className={cx('font-medium break-words', toast.data?.tone === 'bad' && 'before:content-["⚠_"]')}
          />
          <Toast.Description className="text-sm break-words opacity-80" />
        </div>
        {action !== undefined && (
          <Toast.Action
            className="h-8 rounded-md px-2.5 font-semibold hover:bg-canvas/15 focus-visible:outline-canvas lg:order-last lg:-ml-2.5 touch:h-11"
            onClick={() => {
              action.onSelect();
              close(toast.id);
            }}
          >
            {action.label}
          </Toast.Action>
        )}
        <Toast.Close
          aria-label="Dismiss"
          // Base UI hides it until the list of toasts has the focus. Here all toasts are in full view.
          aria-hidden={false}
          className="grid size-8 place-items-center rounded-md hover:bg-canvas/15 focus-visible:outline-canvas touch:size-11"
        >
          <X aria-hidden className="size-4" />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  );
};

/**
 * Where toasts cover no button: in the navigation, above the connection light and the account; on narrower screens above
 * the footers of forms. F6 goes to them.
 */
export const ToastViewport = () => (
  <Toast.Provider limit={3}>
    <Toast.Portal>
      <Toast.Viewport className="fixed right-4 bottom-20 left-4 z-40 flex flex-col gap-2 outline-none md:right-auto md:left-18 md:w-96 lg:bottom-24 lg:left-2 lg:w-50">
        <List />
      </Toast.Viewport>
    </Toast.Portal>
  </Toast.Provider>
);

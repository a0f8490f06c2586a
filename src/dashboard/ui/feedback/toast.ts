import type { ReactNode } from 'react';

export type ToastMessage = {
  title: string;
  detail?: ReactNode;
  tone?: 'plain' | 'bad';
  /** Replaces the toast with the same key, if its action is outdated now. */
  key?: string;
  /** Usually undo. */
  action?: { label: string; onSelect: () => void };
};

type Sink = { show: (message: ToastMessage) => void; close: (key: string) => void };
let sink: Sink | null = null;
let waiting: ToastMessage[] = [];

/** Shows a toast for a few seconds. */
export const showToast = (message: ToastMessage) => {
  if (sink === null) waiting.push(message);
  else sink.show(message);
};

/** Closes the toast with a key, because its action has no effect any more. */
export const closeToast = (key: string) => {
  waiting = waiting.filter((message) => message.key !== key);
  sink?.close(key);
};

/** Connects the viewport, whose code loads after the first page. Queued toasts are shown. */
export const receiveToasts = (next: Sink) => {
  sink = next;
  for (const message of waiting.splice(0)) next.show(message);
  return () => {
    sink = null;
  };
};

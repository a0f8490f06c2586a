import type { ReactNode } from 'react';

export type ToastMessage = {
  title: string;
  detail?: ReactNode;
  tone?: 'plain' | 'bad';
  /** What undoes it, most of all. */
  action?: { label: string; onSelect: () => void };
};

type Sink = (message: ToastMessage) => void;
let sink: Sink | null = null;
const waiting: ToastMessage[] = [];

/** Says what was done, for a few seconds, with what undoes it. */
export const showToast = (message: ToastMessage) => {
  if (sink === null) waiting.push(message);
  else sink(message);
};

/** The viewport takes over what is said; its code is not part of the first page. */
export const receiveToasts = (next: Sink) => {
  sink = next;
  for (const message of waiting.splice(0)) next(message);
  return () => {
    sink = null;
  };
};

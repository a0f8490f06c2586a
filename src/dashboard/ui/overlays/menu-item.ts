import type { ReactNode } from 'react';

export type MenuItem =
  | {
      label: string;
      icon?: ReactNode;
      shortcut?: string;
      isDanger?: boolean;
      isDisabled?: boolean;
      onSelect: () => void;
    }
  | { label: string; icon?: ReactNode; to: string }
  /** Stays open, so that several can be ticked. */
  | { label: string; isChecked: boolean; onToggle: (isChecked: boolean) => void }
  /** One of a few. */
  | {
      label: string;
      choices: readonly { value: string; label: string }[];
      value: string;
      onChoose: (value: string) => void;
    }
  | { heading: ReactNode }
  | 'separator';

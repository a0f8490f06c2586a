import { Tabs as Kit } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

type Tab<V extends string> = { value: V; label: ReactNode; content: ReactNode };

type Props<V extends string> = {
  /** What the tabs choose between. */
  label: string;
  tabs: readonly Tab<V>[];
  value: V;
  onChange: (value: V) => void;
};

/** Views of one thing. Keep the chosen one in the URL. */
export const Tabs = <V extends string>({ label, tabs, value, onChange }: Props<V>) => (
  <Kit.Root value={value} onValueChange={onChange}>
    <Kit.List aria-label={label} className="flex gap-4 overflow-x-auto border-b border-hairline">
      {tabs.map((tab) => (
        <Kit.Tab
          key={tab.value}
          value={tab.value}
          className="-mb-px flex h-9 items-center border-b-2 border-transparent font-medium whitespace-nowrap text-muted hover:text-ink data-active:border-accent data-active:text-ink touch:h-11"
        >
          {tab.label}
        </Kit.Tab>
      ))}
    </Kit.List>
    {tabs.map((tab) => (
      <Kit.Panel key={tab.value} value={tab.value} className="pt-4 outline-none">
        {tab.content}
      </Kit.Panel>
    ))}
  </Kit.Root>
);

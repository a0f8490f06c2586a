import { useId, useRef, type KeyboardEvent, type ReactNode } from 'react';

type Tab<V extends string> = { value: V; label: ReactNode; content: ReactNode };

type Props<V extends string> = {
  /** What the tabs choose between. */
  label: string;
  tabs: readonly Tab<V>[];
  value: V;
  onChange: (value: V) => void;
};

/** The tab that a key moves to, from the one at `index`; the ends are joined. */
const targetOf = (key: string, index: number, count: number): number | undefined => {
  if (key === 'ArrowRight') return (index + 1) % count;
  if (key === 'ArrowLeft') return (index - 1 + count) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
};

/** Views of one thing. Keep the chosen one in the URL. Only the chosen tab is a tab stop; arrow keys move. */
export const Tabs = <V extends string>({ label, tabs, value, onChange }: Props<V>) => {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent, index: number) => {
    const target = targetOf(event.key, index, tabs.length);
    const next = target === undefined ? undefined : tabs[target];
    if (next === undefined) return;
    event.preventDefault();
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[tabs.indexOf(next)]?.focus();
    onChange(next.value);
  };
  return (
    <>
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        className="flex gap-4 overflow-x-auto overflow-y-clip border-b border-hairline"
      >
        {tabs.map((tab, index) => (
          <button
            key={tab.value}
            id={`${id}-${tab.value}`}
            type="button"
            role="tab"
            aria-selected={tab.value === value}
            aria-controls={tab.value === value ? `${id}-panel` : undefined}
            tabIndex={tab.value === value ? 0 : -1}
            onClick={() => {
              if (tab.value !== value) onChange(tab.value);
            }}
            onKeyDown={(event) => move(event, index)}
            className="-mb-px flex h-9 tab-underline items-center font-medium whitespace-nowrap text-muted hover:text-ink aria-selected:text-ink touch:h-11"
          >
            {tab.label}
          </button>
        ))}
      </div>
      {/* The key resets the state of components that several tabs share. */}
      <div
        key={value}
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${value}`}
        className="pt-4 outline-none"
      >
        {tabs.find((tab) => tab.value === value)?.content}
      </div>
    </>
  );
};

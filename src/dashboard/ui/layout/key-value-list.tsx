import type { ReactNode } from 'react';

/** Facts about one thing, name beside value. */
export const KeyValueList = ({ items }: { items: readonly { name: string; value: ReactNode }[] }) => (
  <dl className="divide-y divide-hairline">
    {items.map(({ name, value }) => (
      <div key={name} className="grid grid-cols-[minmax(7rem,2fr)_3fr] items-baseline gap-3 py-2">
        <dt className="text-muted">{name}</dt>
        <dd className="min-w-0 break-words">{value}</dd>
      </div>
    ))}
  </dl>
);

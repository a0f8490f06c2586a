import type { ReactNode } from 'react';
import { cx } from '../browser/cx.ts';

type Props = {
  items: readonly { name: string; value: ReactNode }[];
  /** On a phone, values are below their names. */
  hasLongValues?: boolean;
};

/** Facts about one thing, name beside value. */
export const KeyValueList = ({ items, hasLongValues = false }: Props) => (
  <dl className="divide-y divide-hairline">
    {items.map(({ name, value }) => (
      <div
        key={name}
        className={cx(
          'grid grid-cols-[minmax(7rem,2fr)_3fr] items-baseline gap-3 py-2',
          hasLongValues && 'max-md:grid-cols-1 max-md:gap-0.5',
        )}
      >
        <dt className="text-muted">{name}</dt>
        <dd className="min-w-0 break-words">{value}</dd>
      </div>
    ))}
  </dl>
);

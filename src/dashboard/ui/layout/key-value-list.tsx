import type { ReactNode } from 'react';
import { cx } from '../browser/cx.ts';

type Props = {
  items: readonly { name: string; value: ReactNode }[];
  /** On a phone, values stand below their names. */
  areLong?: boolean;
};

/** Facts about one thing, name beside value. */
export const KeyValueList = ({ items, areLong = false }: Props) => (
  <dl className="divide-y divide-hairline">
    {items.map(({ name, value }) => (
      <div
        key={name}
        className={cx(
          'grid grid-cols-[minmax(7rem,2fr)_3fr] items-baseline gap-3 py-2',
          areLong && 'max-md:grid-cols-1 max-md:gap-0.5',
        )}
      >
        <dt className="text-muted">{name}</dt>
        <dd className="min-w-0 break-words">{value}</dd>
      </div>
    ))}
  </dl>
);

import { useDeferredValue } from 'react';
import { plural } from '../format/format-number.ts';

type Props = {
  /** Undefined while it is unknown. */
  count: number | undefined;
  /** One item, for example “device”. */
  one: string;
  isFiltered: boolean;
};

/** How many items a list has. It follows the rows: the first formatted number takes a tenth of the time until they are painted. */
export const FoundCount = ({ count, one, isFiltered }: Props) => {
  // Its memoised form is larger.
  'use no memo';
  const shown = useDeferredValue(count, undefined);
  return (
    <output className="tabular h-5 min-w-32 text-muted">
      {shown !== undefined && `${plural(shown, one)}${isFiltered ? ' found' : ''}`}
    </output>
  );
};

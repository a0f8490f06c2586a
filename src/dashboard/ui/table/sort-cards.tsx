import { ArrowDown, ArrowUp } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../controls/button.tsx';
import { Select } from '../controls/select.tsx';
import type { Column, Sort } from './data-table-props.ts';

type Props<Row> = {
  columns: readonly Column<Row>[];
  sort: Sort;
  onSort: (sort: Sort) => void;
};

/** Sorts cards, which have no column headers. Its place is the padding that the table leaves above them. */
export const SortCards = <Row,>({ columns, sort, onSort }: Props<Row>) => {
  const { by, isDescending } = sort;
  const [initial] = useState(by);
  const shown = columns.flatMap(({ sort: value, header }) =>
    value === undefined ? [] : [{ value, label: header }],
  );
  // A list may be sorted by a column that it does not show; the user can return to this sort.
  const hidden = [...new Set([initial, by])]
    .filter((value) => !shown.some((option) => option.value === value))
    .map((value) => ({ value, label: value === 'createdAt' ? 'Created' : 'A hidden column' }));
  const word = isDescending ? 'Descending' : 'Ascending';
  const Arrow = isDescending ? ArrowDown : ArrowUp;
  return (
    <div className="absolute inset-x-0 top-0 flex h-14 items-center gap-2 border-b border-hairline px-4">
      <Select
        aria-label="Sort by"
        options={[...shown, ...hidden]}
        value={by}
        onChange={(next) => onSort({ by: next, isDescending: false })}
        className="min-w-0 flex-1"
      />
      <Button
        aria-label={`${word}. Reverse the order`}
        icon={<Arrow aria-hidden className="size-4" />}
        onClick={() => onSort({ by, isDescending: !isDescending })}
      >
        {word}
      </Button>
    </div>
  );
};

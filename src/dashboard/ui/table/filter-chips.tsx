import { X } from 'lucide-react';
import { useRef, type ReactNode } from 'react';
import { useKeptFocus } from '../browser/kept-focus.ts';
import { Button } from '../controls/button.tsx';

export type FilterChip = { id: string; name: string; value: ReactNode; onRemove: () => void; label: string };

/** The active filters; each can be removed. */
export const FilterChips = ({ chips, onClear }: { chips: readonly FilterChip[]; onClear: () => void }) => {
  const list = useRef<HTMLUListElement>(null);
  useKeptFocus(list, chips.map(({ id }) => id).join(' '));
  return (
    chips.length > 0 && (
      <ul ref={list} aria-label="Filters" className="flex flex-wrap items-center gap-1.5">
        {chips.map((chip) => (
          <li
            key={chip.id}
            className="flex h-7 max-w-full items-center gap-1 rounded-full border border-hairline bg-surface pl-2.5 text-sm touch:h-11"
          >
            <span className="truncate">
              <span className="text-muted">{chip.name}: </span>
              {chip.value}
            </span>
            <button
              type="button"
              aria-label={`Remove filter ${chip.label}`}
              onClick={chip.onRemove}
              className="grid size-7 place-items-center rounded-full text-muted hover:bg-hover hover:text-ink touch:size-11"
            >
              <X aria-hidden className="size-3.5" />
            </button>
          </li>
        ))}
        {chips.length > 1 && (
          <li>
            <Button variant="quiet" className="h-7 px-2 text-sm touch:h-11" onClick={onClear}>
              Clear all
            </Button>
          </li>
        )}
      </ul>
    )
  );
};

import { Eraser, Shapes, Tags, Timer, Trash2, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMediaQuery } from '../../../ui/browser/media-query.ts';
import { Button, IconButton } from '../../../ui/controls/button.tsx';
import { formatCount, plural } from '../../../ui/format/format-number.ts';
import { Menu } from '../../../ui/overlays/menu.tsx';
import type { ListSelection } from '../../../ui/table/use-selection.ts';
import type { useSelectAll } from './use-select-all.ts';

export type BulkAction = 'add-tags' | 'remove-tag' | 'type' | 'interval' | 'delete';

const actions: readonly { is: BulkAction; label: string; icon: ReactNode }[] = [
  { is: 'add-tags', label: 'Add tags…', icon: <Tags aria-hidden /> },
  { is: 'remove-tag', label: 'Remove tag…', icon: <Eraser aria-hidden /> },
  { is: 'type', label: 'Change type…', icon: <Shapes aria-hidden /> },
  { is: 'interval', label: 'Change interval…', icon: <Timer aria-hidden /> },
  { is: 'delete', label: 'Delete…', icon: <Trash2 aria-hidden /> },
];

type Props = {
  selection: ListSelection;
  /** The devices that match the filters, if known. */
  total: number | undefined;
  isFiltered: boolean;
  selectingAll: ReturnType<typeof useSelectAll>;
  onAction: (action: BulkAction) => void;
  onClose: () => void;
};

/** How many devices are selected, and what can be done with them. */
export const SelectionBar = ({ selection, total, isFiltered, selectingAll, onAction, onClose }: Props) => {
  const { count, selected } = selection;
  const { foundCount } = selectingAll;
  const isTight = useMediaQuery('(width < 80rem)');
  const canSelectMore = !selected.isAllExcept && total !== undefined && total > count;
  return (
    <section
      aria-label="Selection"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md border border-hairline bg-raised py-1.5 pr-1.5 pl-4 shadow-pop"
    >
      <output className="tabular font-medium">
        {foundCount === null ? `${plural(count, 'device')} selected` : 'Selecting devices…'}
      </output>
      {foundCount !== null && (
        // Not announced: it changes with each page of the list.
        <span className="tabular text-muted">
          {formatCount(foundCount)} of {formatCount(total ?? foundCount)}
        </span>
      )}
      {foundCount !== null && (
        <Button variant="quiet" className="-ml-1" onClick={selectingAll.stop}>
          Cancel
        </Button>
      )}
      {canSelectMore && foundCount === null && (
        <Button variant="quiet" className="-ml-1 text-accent" onClick={selectingAll.select}>
          <span>
            {/* A phone has no room for the last words. */}
            Select all {formatCount(total)} {isFiltered && <span className="max-md:sr-only">that match</span>}
          </span>
        </Button>
      )}
      <div className="ml-auto flex items-center gap-1">
        {isTight ? (
          <Menu
            label="Actions"
            placement="top-end"
            items={actions.map(({ is, label, icon }) => ({
              label,
              icon,
              isDanger: is === 'delete',
              isDisabled: count === 0 || foundCount !== null,
              onSelect: () => onAction(is),
            }))}
          />
        ) : (
          actions.map(({ is, label }) => (
            <Button
              key={is}
              variant="quiet"
              className={is === 'delete' ? 'text-bad-text' : ''}
              disabled={foundCount !== null}
              onClick={() => onAction(is)}
            >
              {label}
            </Button>
          ))
        )}
        <IconButton label="Clear selection" shortcut="Esc" icon={<X aria-hidden />} onClick={onClose} />
      </div>
    </section>
  );
};

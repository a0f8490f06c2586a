import { Suspense, useRef, useState, type ComponentType, type ReactNode, type RefObject } from 'react';
import { IconButton } from '../controls/button.tsx';
import { ellipsisIcon } from '../controls/ellipsis-icon.tsx';

export type SharedMenuProps<Row> = {
  row: Row;
  isOpen: boolean;
  onClose: () => void;
  anchor: RefObject<HTMLElement | null>;
};

/**
 * One menu for all rows of a table: a menu per row would slow scrolling. `trigger` renders the button of a row, `menu`
 * is rendered once beside the table. `Menu` (lazy) renders a `MenuPopup`.
 */
export const useSharedMenu = <Row,>(
  nameOf: (row: Row) => string,
  Menu: ComponentType<SharedMenuProps<Row>>,
): { trigger: (row: Row) => ReactNode; menu: ReactNode } => {
  const [shown, setShown] = useState<{ row: Row; isOpen: boolean } | null>(null);
  const anchor = useRef<HTMLElement>(null);
  const trigger = (row: Row) => (
    <IconButton
      label={nameOf(row)}
      icon={ellipsisIcon}
      aria-haspopup="menu"
      onClick={(event) => {
        anchor.current = event.currentTarget;
        setShown({ row, isOpen: true });
      }}
    />
  );
  const menu = shown !== null && (
    <Suspense>
      <Menu
        row={shown.row}
        isOpen={shown.isOpen}
        onClose={() => setShown({ ...shown, isOpen: false })}
        anchor={anchor}
      />
    </Suspense>
  );
  return { trigger, menu };
};

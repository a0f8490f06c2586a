/** A sentence in a cell: one line in a table, two in a card. */
export const cellTextClass = 'truncate max-md:line-clamp-2 max-md:whitespace-normal';

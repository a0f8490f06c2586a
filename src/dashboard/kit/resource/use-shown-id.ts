import { useState } from 'react';

/** The id of what a drawer shows. What was open stays in the drawer while it slides away. */
export const useShownId = (id: string | null, isOpen: boolean): string | null => {
  const [shownId, setShownId] = useState(id);
  if (!isOpen || shownId === id) return shownId;
  setShownId(id);
  return id;
};

import { createContext } from 'react';

/** Tab reaches only the buttons of the current row, so that keyboard users can leave a table of 100,000 devices. */
export const RowTabIndex = createContext<0 | -1 | undefined>(undefined);

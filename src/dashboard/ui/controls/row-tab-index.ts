import { createContext } from 'react';

/** In a table, Tab reaches the buttons of the current row only: a list of 100,000 devices is no tab trap. */
export const RowTabIndex = createContext<0 | -1 | undefined>(undefined);

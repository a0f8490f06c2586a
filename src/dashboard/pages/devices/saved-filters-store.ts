import * as z from 'zod';
import { storedChoice } from '../../ui/browser/stored-choice.ts';
import { filterParams } from './device-filters.ts';

export const MAX_SAVED = 50;
export const NAME_LENGTH = 60;
export const MAX_QUERY_LENGTH = 10_000;

const savedFilterSchema = z.object({
  name: z.string().min(1).max(NAME_LENGTH),
  query: z.string().max(MAX_QUERY_LENGTH),
});
export type SavedFilter = z.infer<typeof savedFilterSchema>;

/** Entries of an older or newer version, or of another program, are ignored. */
const read = (text: string | null): readonly SavedFilter[] => {
  try {
    const entries: unknown = JSON.parse(text ?? '[]');
    return (Array.isArray(entries) ? entries : []).flatMap(
      (entry) => savedFilterSchema.safeParse(entry).data ?? [],
    );
  } catch {
    return [];
  }
};

/** The filters that were saved in this browser, by name. */
export const savedFilters = storedChoice('penstock.devices.filters', read, (filters) =>
  JSON.stringify(filters.toSorted((a, b) => a.name.localeCompare(b.name))),
);

const SAVED_PARAMS = ['q', ...filterParams, 'group', 'sort'];

/** The part of an address that a saved filter keeps: search, filters, grouping and sort. */
export const queryOf = (params: URLSearchParams): string => {
  const kept = SAVED_PARAMS.flatMap((name) =>
    params
      .getAll(name)
      .toSorted()
      .map((value) => [name, value]),
  );
  return new URLSearchParams(kept).toString();
};

/** Why a name cannot be used; undefined: it can. `own`: the name of the renamed filter. */
export const nameProblem = (name: string, own?: string): string | undefined => {
  if (name === '') return 'Enter a name.';
  if (name.length > NAME_LENGTH) return `Must be at most ${NAME_LENGTH} characters.`;
  const isTaken = savedFilters
    .get()
    .some((filter) => filter.name !== own && filter.name.toLowerCase() === name.toLowerCase());
  return isTaken ? 'Already used. Choose another name.' : undefined;
};

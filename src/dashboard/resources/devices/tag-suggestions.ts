import { useQueries, useQuery } from '@tanstack/react-query';
import { facetQuery } from './facet-queries.ts';

/** Without a typed key, values of the keys that most devices have are suggested. */
const SUGGESTED_KEYS = 4;

type TagSuggestion = { key: string; value: string; total: number };

/** The tags that begin with the typed text (`north`, or `site:north`), with their number of devices. */
export const useTagSuggestions = (typed: string, valuesPerKey: number) => {
  const [, typedKey, typedValue] = /^([\w.-]{1,64}):(.*)$/.exec(typed) ?? [];
  const prefix = typedValue?.trim() ?? typed;
  // Suggestions must not move while one is chosen.
  const refetchInterval = false as const;
  const keys = useQuery({ ...facetQuery({ by: 'tag', limit: SUGGESTED_KEYS }), refetchInterval });
  const suggested = typedKey === undefined ? (keys.data?.data ?? []).map(({ value }) => value) : [typedKey];
  return useQueries({
    queries: suggested.map((key) => ({
      ...facetQuery({ by: `tag:${key}`, limit: valuesPerKey, ...(prefix !== '' && { prefix }) }),
      refetchInterval,
    })),
    combine: (results) => ({
      tags: results.flatMap(({ data }, index) =>
        (data?.data ?? []).map(({ value, total }): TagSuggestion => ({
          key: suggested[index]!,
          value,
          total,
        })),
      ),
      isLoading: results.some(({ isPending, isPlaceholderData }) => isPending || isPlaceholderData),
    }),
  });
};

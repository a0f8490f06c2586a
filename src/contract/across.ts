import * as z from 'zod';

/** How the buckets of several devices become one. */
export const acrossFunctions = ['mean', 'min', 'max', 'sum', 'count'] as const;
export const acrossSchema = z.enum(acrossFunctions);
export type Across = z.infer<typeof acrossSchema>;

/** What the series of a metric are ranked by, over the whole range. */
export const rankings = ['max', 'min', 'mean', 'last', 'sum', 'count', 'increase'] as const;
export type Ranking = (typeof rankings)[number];

/** A ranking, the highest first; with the prefix `-`, the lowest. */
export const rankRules = [...rankings, ...rankings.map((ranking) => `-${ranking}` as const)] as const;
export const rankRuleSchema = z.enum(rankRules);
export type RankRule = z.infer<typeof rankRuleSchema>;

export const defaultRankRule = 'max' satisfies RankRule;

export const parseRankRule = (rule: RankRule): { ranking: Ranking; isLowestFirst: boolean } => {
  const isLowestFirst = rule.startsWith('-');
  return { ranking: (isLowestFirst ? rule.slice(1) : rule) as Ranking, isLowestFirst };
};

/** The devices of the omitted series are listed up to this number. */
export const LISTED_OMITTED = 10;

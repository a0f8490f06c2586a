import { foldCase } from '#contract/text.ts';

/** Pipelines name their destination ignoring case. */
export const isSameDestination = (a: string, b: string): boolean => foldCase(a) === foldCase(b);

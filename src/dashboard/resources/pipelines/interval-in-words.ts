import type { PipelineType } from '#contract/pipelines.ts';
import { formatSeconds } from '../../ui/format/format-duration.ts';

/** How often a source is polled; null: never, as messages are pushed to it. Of an unknown type, only the duration. */
export const intervalInWords = (seconds: number, kind: PipelineType['kind'] | undefined): string | null => {
  if (kind === 'pushed') return null;
  return kind === 'polled' ? `every ${formatSeconds(seconds)}` : formatSeconds(seconds);
};

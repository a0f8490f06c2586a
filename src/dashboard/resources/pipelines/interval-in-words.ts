import type { PipelineType } from '#contract/pipelines.ts';
import { formatSeconds } from '../../ui/format/format-duration.ts';

/** A short text of an interval; of an unknown type, only the duration. */
export const intervalInWords = (seconds: number, kind: PipelineType['kind'] | undefined): string => {
  if (kind === 'pushed') return 'on arrival';
  return kind === 'polled' ? `every ${formatSeconds(seconds)}` : formatSeconds(seconds);
};

import { isId } from '#contract/id.ts';
import type { ReplayRequest } from '#contract/rejections.ts';
import { reasonInWords } from './rejection-reason.ts';

/** The parameter of an address that names rejections to replay: the id of one, the reason of some, or `all`. */
export const REPLAY_PARAM = 'replay';
const ALL = 'all';

export const choiceInAddress = ({ ids, reason }: ReplayRequest): string => ids?.[0] ?? reason ?? ALL;

export const choiceFrom = (text: string): ReplayRequest => {
  if (text === ALL) return { all: true };
  return isId('rej', text) ? { ids: [text] } : { reason: text };
};

/** Which messages a choice means: “the messages of “Not JSON””. */
export const choiceInWords = ({ ids, reason }: ReplayRequest): string => {
  if (ids !== undefined) return 'this message';
  return reason === undefined ? 'all rejected messages' : `the messages of “${reasonInWords(reason)}”`;
};

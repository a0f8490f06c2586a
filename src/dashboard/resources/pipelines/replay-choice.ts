import { isId } from '#contract/id.ts';
import type { Rejection, ReplayRequest } from '#contract/rejections.ts';
import { reasonInWords } from '#contract/rejection-reason.ts';

/** A rejection, as a replay of it and of those like it needs it. */
type ReplayOrigin = Pick<Rejection, 'id' | 'reason' | 'device'>;

/** What to replay. `origin`: the rejection that the replay was opened from, which offers those like it. */
export type ReplayTarget = { choice: ReplayRequest; origin?: ReplayOrigin };

const choiceNames = ['message', 'device', 'reason'] as const;
export type ChoiceName = (typeof choiceNames)[number];

/** The message of a rejection; those of its device with the same reason; all with the same reason. */
export const choicesOf = ({
  id,
  reason,
  device,
}: ReplayOrigin): Record<'message' | 'reason', ReplayRequest> & { device?: ReplayRequest } => ({
  message: { ids: [id] },
  ...(device !== null && { device: { reason, device } }),
  reason: { reason },
});

/** The choice for a rejection in a list: its group, if the list is filtered by a reason or a device, or itself. */
export const choiceWithin = (
  origin: ReplayOrigin,
  filter: { reason: string | null; device: string | null },
): ReplayRequest => {
  const { message, device, reason } = choicesOf(origin);
  if (filter.device !== null && device !== undefined) return device;
  return filter.reason !== null ? reason : message;
};

/** The name of one of the choices for a rejection. */
export const nameOfChoice = ({ ids, device }: ReplayRequest): ChoiceName => {
  if (ids !== undefined) return 'message';
  return device === undefined ? 'reason' : 'device';
};

/** The URL parameter with the rejections to replay: the ID of one, a reason, or `all`. */
const REPLAY = 'replay';
/** The URL parameter with the name of the choice, for the rejection in `REPLAY`. */
export const REPLAY_CHOICE = 'choice';
const ALL = 'all';

/** A target as URL parameters. */
export const targetInAddress = ({ choice, origin }: ReplayTarget): Record<string, string> =>
  origin === undefined
    ? { [REPLAY]: choice.reason ?? ALL, device: choice.device ?? '' }
    : {
        [REPLAY]: origin.id,
        reason: origin.reason,
        device: origin.device ?? '',
        [REPLAY_CHOICE]: nameOfChoice(choice),
      };

/** The target in URL parameters; null: none. */
export const targetFrom = (params: URLSearchParams): ReplayTarget | null => {
  const replay = params.get(REPLAY) ?? '';
  const device = params.get('device');
  if (replay === '') return null;
  if (!isId('rej', replay))
    return {
      choice: {
        ...(replay === ALL ? { all: true } : { reason: replay }),
        ...(device !== null && { device }),
      },
    };
  const reason = params.get('reason');
  const message = { ids: [replay] };
  if (reason === null) return { choice: message };
  const origin = { id: replay, reason, device };
  const chosen = choiceNames.find((name) => name === params.get(REPLAY_CHOICE)) ?? 'message';
  return { choice: choicesOf(origin)[chosen] ?? message, origin };
};

/** The text of a choice: “messages rejected as “Not JSON””. */
export const choiceInWords = ({ ids, reason, device }: ReplayRequest): string => {
  if (ids !== undefined) return 'this message';
  const from = device === undefined ? '' : ` from ${device}`;
  return reason === undefined
    ? `all rejected messages${from}`
    : `messages${from} rejected as “${reasonInWords(reason)}”`;
};

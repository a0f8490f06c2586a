import { describeError } from '../api/api-error.ts';
import { showToast } from '../ui/feedback/toast.ts';

type Options<Item> = {
  setEnabled: (item: Item, enabled: boolean) => Promise<unknown>;
  /** What pausing the item means, for the toast. */
  pausedDetail?: (item: Item) => string;
};

/** Pauses or resumes an item at once and says so in a toast that undoes it. */
export const pauseOrResume = async <Item extends { name: string }>(
  item: Item,
  enabled: boolean,
  options: Options<Item>,
  isUndo = false,
): Promise<void> => {
  const { name } = item;
  const { setEnabled, pausedDetail } = options;
  try {
    await setEnabled(item, enabled);
    showToast({
      title: `${enabled ? 'Resumed' : 'Paused'} ${name}`,
      ...(!isUndo && {
        ...(!enabled && pausedDetail !== undefined && { detail: pausedDetail(item) }),
        action: { label: 'Undo', onSelect: () => void pauseOrResume(item, !enabled, options, true) },
      }),
    });
  } catch (error) {
    showToast({
      title: `Could not ${enabled ? 'resume' : 'pause'} ${name}`,
      detail: describeError(error).detail,
      tone: 'bad',
    });
  }
};

import { Button } from '../../ui/controls/button.tsx';

type Props = { isNew: boolean; replays: boolean; isBusy: boolean; onSaveOnly: () => void };

/** Submits the form. A form that replays after saving can also be saved without a replay. */
export const SaveButtons = ({ isNew, replays, isBusy, onSaveOnly }: Props) => (
  <>
    {replays && (
      <Button busy={isBusy} onClick={onSaveOnly}>
        Save
      </Button>
    )}
    <Button type="submit" variant="primary" busy={isBusy}>
      {isNew ? 'Create pipeline' : replays ? 'Save and replay' : 'Save'}
    </Button>
  </>
);

import { describeError } from '../../api/api-error.ts';
import { useRestoreDevice } from '../../resources/devices/device-queries.ts';
import { useMay } from '../../api/session-queries.ts';
import { paths } from '../../paths.ts';
import { Button } from '../../ui/controls/button.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { LinkButton } from '../../ui/controls/link.tsx';
import { showToast } from '../../ui/feedback/toast.ts';

/** A device that cannot be read: where it was deleted within the last day, it can be brought back from here. */
export const MissingDevice = ({ id, onRestored }: { id: string; onRestored: () => void }) => {
  const mayWrite = useMay('devices:write');
  const restoration = useRestoreDevice();
  const restore = () =>
    restoration.mutate(id, {
      onSuccess: (device) => {
        showToast({ title: `${device.name} is back` });
        onRestored();
      },
      onError: (error) =>
        showToast({ title: 'It was not restored', detail: describeError(error).detail, tone: 'bad' }),
    });
  return (
    <EmptyState
      title="This device is not here"
      action={
        <div className="flex flex-wrap gap-2">
          {mayWrite && (
            <Button busy={restoration.isPending} onClick={restore}>
              Restore it
            </Button>
          )}
          <LinkButton to={paths.devices}>Go to the devices</LinkButton>
        </div>
      }
    >
      It was deleted, its address is wrong, or this session may not see it. A device that was deleted can be
      restored for 24 hours.
    </EmptyState>
  );
};

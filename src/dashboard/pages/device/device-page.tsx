import { useQueryParams } from '../../ui/browser/query-params.ts';
import { useQuery } from '@tanstack/react-query';
import { Pencil, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useNavigate, useParams } from 'react-router-dom';
import type { Device } from '#contract/devices.ts';
import { isId } from '#contract/id.ts';
import { hasCode, describeError } from '../../api/api-error.ts';
import { deviceQueries, useRestoreDevice } from '../../resources/devices/device-queries.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { useLiveDevices } from '../../api/live/use-live.ts';
import { DeviceStateBadge } from '../../resources/devices/device-state.tsx';
import { SubjectEvents } from '../../resources/events/event-list.tsx';
import { paths } from '../../paths.ts';
import { Failure } from '../../kit/failure.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Optional } from '../../ui/browser/optional.tsx';
import { cx } from '../../ui/browser/cx.ts';
import { useOnceTrue } from '../../ui/browser/once-true.ts';
import { ActionsSkeleton, PageHeader } from '../../ui/layout/page-header.tsx';
import { LineSkeleton } from '../../ui/feedback/line-skeleton.tsx';
import { ConnectButton, ConnectDevice } from './connect-device.tsx';
import { DeviceEvidence, evidenceClass } from './device-evidence.tsx';
import { DEVICE_EVENTS } from './device-view.ts';
import { DeviceFacts } from './device-facts.tsx';
import { DeviceNotes } from './device-notes.tsx';
import { lazyDrawer } from '../../ui/overlays/lazy-popup.tsx';
import { withParams } from '../../ui/browser/with-params.ts';
import { DeviceTelemetry } from './device-telemetry.tsx';
import { useDeleteWithUndo } from '../../resources/devices/use-delete-with-undo.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { LinkButton } from '../../ui/controls/link.tsx';
import { showToast } from '../../ui/feedback/toast.ts';
import { useListPath } from '../../ui/table/use-list-path.ts';

const DeviceDrawer = lazyDrawer(
  async () => (await import('../../resources/devices/device-drawer.tsx')).DeviceDrawer,
  ({ isNew, deviceId, onClose }) => ({ isOpen: isNew || deviceId !== null, onClose }),
);

const DeviceMessages = lazy(async () => ({
  default: (await import('./device-messages.tsx')).DeviceMessages,
}));

/** One device: its state, its telemetry, its settings and its events. */
export const DevicePage = () => {
  const { id = '' } = useParams();
  const back = { to: useListPath(paths.devices), label: 'Devices' };
  const { data: device, error: latestError, refetch } = useQuery(deviceQueries.detail(id));
  // While the device is read again the query has no error, and the button under the pointer must stay.
  const [failure, setFailure] = useState({ id, error: latestError });
  if (failure.id !== id || (latestError !== null && failure.error !== latestError))
    setFailure({ id, error: latestError });
  const { error } = failure;
  useLiveDevices([id]);
  const [isConnectLoading, setIsConnectLoading] = useState(false);
  const [params] = useQueryParams();
  // An edit in progress says itself that the device was deleted, and offers what was typed.
  const isDeleted = hasCode(latestError, 'not-found') && params.get('edit') === null;
  if (error !== null && (device === undefined || isDeleted)) {
    return (
      <>
        <PageHeader title="Device" back={back} />
        <div className="rounded-md border border-hairline bg-surface">
          {hasCode(error, 'not-found') ? (
            <MissingDevice id={id} onRestored={() => void refetch()} />
          ) : (
            <Failure error={error} onRetry={() => void refetch()} />
          )}
        </div>
      </>
    );
  }
  return (
    <>
      <DeviceHead device={device} back={back} />
      {device !== undefined && (
        <ConnectDevice key={device.id} device={device} onLoading={setIsConnectLoading} />
      )}
      <div
        className={cx(
          'grid grid-cols-1 gap-4 xl:grid-cols-12 xl:grid-rows-[auto_1fr]',
          isConnectLoading && 'hidden',
        )}
      >
        <DeviceTelemetry deviceId={id} device={device} className="peer xl:col-span-8" />
        {/* In one column, this part is below the metrics and appears after them, so that it does not move. */}
        <div className="flex min-w-0 flex-col gap-4 max-xl:peer-data-loading:hidden xl:col-span-4 xl:row-span-2">
          <DeviceFacts device={device} />
          {/* The height of the details is unknown before the device is loaded. */}
          {device !== undefined && (
            <>
              <DeviceNotes key={id} device={device} />
              <SubjectEvents subjectId={id} limit={DEVICE_EVENTS} />
            </>
          )}
        </div>
        <Optional>
          <DeviceMessages
            key={id}
            deviceId={id}
            device={device}
            // In one column, it is below the details.
            className={cx('peer-data-loading:hidden xl:col-span-8', device === undefined && 'max-xl:hidden')}
          />
        </Optional>
      </div>
    </>
  );
};

type HeadProps = { device: Device | undefined; back: { to: string; label: string } };

/** The header is rendered from the start, so that it keeps the focus of a new page. */
const DeviceHead = ({ device, back }: HeadProps) => {
  const [params, setParams] = useQueryParams();
  const canWrite = useHasScope('devices:write');
  const isEdited = params.get('edit') !== null;
  const wasDrawerOpen = useOnceTrue(isEdited);
  const edit = (values: readonly string[], replace: boolean) =>
    setParams((old) => withParams(old, { edit: values }), { replace, preventScrollReset: true });
  return (
    <>
      <PageHeader
        title={device?.name ?? 'Device'}
        back={back}
        aside={device !== undefined && <DeviceStateBadge state={device.state} />}
        actions={
          device === undefined ? (
            <ActionsSkeleton />
          ) : (
            <>
              <ConnectButton />
              {canWrite && (
                <>
                  <Button
                    icon={<Pencil aria-hidden className="size-4" />}
                    onClick={() => edit(['open'], false)}
                  >
                    Edit
                  </Button>
                  <DeleteButton device={device} />
                </>
              )}
            </>
          )
        }
      >
        {device === undefined ? (
          <div className={evidenceClass}>
            <LineSkeleton className="w-56" />
          </div>
        ) : (
          <DeviceEvidence device={device} />
        )}
      </PageHeader>
      {device !== undefined && canWrite && wasDrawerOpen && (
        <Suspense>
          <DeviceDrawer isNew={false} deviceId={isEdited ? device.id : null} onClose={() => edit([], true)} />
        </Suspense>
      )}
    </>
  );
};

const DeleteButton = ({ device }: { device: Device }) => {
  const navigate = useNavigate();
  const list = useListPath(paths.devices);
  const { remove, isDeleting } = useDeleteWithUndo();
  return (
    <Button
      icon={<Trash2 aria-hidden className="size-4" />}
      busy={isDeleting}
      onClick={() => void remove(device).then((isDeleted) => (isDeleted ? navigate(list) : undefined))}
    >
      Delete
    </Button>
  );
};

/** A device that is not found. If it was deleted within the last day, it can be restored here. */
const MissingDevice = ({ id, onRestored }: { id: string; onRestored: () => void }) => {
  const canWrite = useHasScope('devices:write');
  // An address such as /devices/new was never the address of a device.
  const isDeviceId = isId('dev', id);
  const list = useListPath(paths.devices);
  const restoration = useRestoreDevice();
  const restore = async () => {
    try {
      const device = await restoration.mutateAsync(id);
      showToast({ title: `Restored ${device.name}` });
      onRestored();
    } catch (error) {
      showToast({
        title: 'Could not restore the device',
        detail: hasCode(error, 'not-found')
          ? 'The device never existed, was deleted more than 24 hours ago, or your key has no access to it.'
          : describeError(error).detail,
        tone: 'bad',
      });
    }
  };
  return (
    <EmptyState
      title="Device not found"
      action={
        <div className="flex flex-wrap gap-2">
          {isDeviceId && canWrite && (
            <Button busy={restoration.isPending} onClick={() => void restore()}>
              Restore device
            </Button>
          )}
          <LinkButton to={list}>Go to Devices</LinkButton>
        </div>
      }
    >
      {isDeviceId
        ? 'The device was deleted, the address is wrong, or your key has no access to it. You can restore a deleted device for 24 hours.'
        : 'The address is wrong: it does not contain the ID of a device.'}
    </EmptyState>
  );
};

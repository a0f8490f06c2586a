import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { deviceQueries } from './device-queries.ts';
import { Failure } from '../../kit/failure.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Drawer } from '../../ui/overlays/dialog.tsx';
import { useOnceTrue } from '../../ui/browser/once-true.ts';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { DeviceForm } from './device-form.tsx';

type Props = {
  isNew: boolean;
  /** The device to edit. */
  deviceId: string | null;
  onClose: () => void;
};

const FORM = 'device-form';

/** Registers a device, or edits one, beside the page that it belongs to. */
export const DeviceDrawer = ({ isNew, deviceId, onClose }: Props) => {
  const isOpen = isNew || deviceId !== null;
  // What was open stays in the drawer while it slides away.
  const [shownId, setShownId] = useState(deviceId);
  if (isOpen && shownId !== deviceId) setShownId(deviceId);
  const [isBusy, setIsBusy] = useState(false);
  const firstField = useRef<HTMLInputElement>(null);
  const device = useQuery({ ...deviceQueries.detail(shownId ?? ''), enabled: isOpen && shownId !== null });
  const isReady = shownId === null || device.data !== undefined;
  // The drawer gives the focus as it opens; a form that comes later takes it then.
  const wasAwaited = useOnceTrue(isOpen && !isReady);
  useEffect(() => {
    if (wasAwaited && isReady) firstField.current?.focus();
  }, [wasAwaited, isReady]);

  return (
    <Drawer
      isOpen={isOpen}
      onClose={onClose}
      title={shownId === null ? 'Register device' : 'Edit device'}
      initialFocus={firstField}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={FORM} look="primary" busy={isBusy} disabled={!isReady}>
            {shownId === null ? 'Register' : 'Save'}
          </Button>
        </>
      }
    >
      {isReady ? (
        <DeviceForm
          key={shownId ?? 'new'}
          id={FORM}
          device={shownId === null ? undefined : device.data}
          failure={shownId === null ? null : device.error}
          firstField={firstField}
          onBusy={setIsBusy}
          onSaved={onClose}
        />
      ) : device.isError ? (
        <Failure error={device.error} onRetry={() => void device.refetch()} />
      ) : (
        <div className="flex flex-col gap-6">
          {[1, 2, 3].map((field) => (
            <Skeleton key={field} className="h-8" />
          ))}
        </div>
      )}
    </Drawer>
  );
};

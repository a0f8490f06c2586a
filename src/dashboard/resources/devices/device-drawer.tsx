import { useQuery } from '@tanstack/react-query';
import { FormDrawer } from '../../kit/resource/form-drawer.tsx';
import { useShownId } from '../../kit/resource/use-shown-id.ts';
import { DeviceForm } from './device-form.tsx';
import { deviceQueries } from './device-queries.ts';

type Props = {
  isNew: boolean;
  /** The device to edit. */
  deviceId: string | null;
  onClose: () => void;
};

/** Registers a device, or edits one. */
export const DeviceDrawer = ({ isNew, deviceId, onClose }: Props) => {
  const isOpen = isNew || deviceId !== null;
  const shownId = useShownId(deviceId, isOpen);
  const device = useQuery({ ...deviceQueries.detail(shownId ?? ''), enabled: isOpen && shownId !== null });
  return (
    <FormDrawer
      drawer={{ isOpen, onClose }}
      words={
        shownId === null
          ? { title: 'Register device', submit: 'Register' }
          : { title: 'Edit device', submit: 'Save' }
      }
      reads={shownId === null ? [] : [device]}
    >
      {(slot) => (
        <DeviceForm
          key={shownId ?? 'new'}
          slot={slot}
          device={shownId === null ? undefined : device.data}
          failure={shownId === null ? null : device.error}
          onSaved={onClose}
        />
      )}
    </FormDrawer>
  );
};

import { Copy, Ellipsis, Pencil, Trash2 } from 'lucide-react';
import type { Device } from '#contract/devices.ts';
import { useMay } from '../../api/session-queries.ts';
import { copyText } from '../../ui/copy-text.ts';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { showToast } from '../../ui/toast.ts';
import { useDeleteWithUndo } from './use-delete-with-undo.ts';

/** What can be done with a device from its row. */
export const DeviceRowMenu = ({ device, onEdit }: { device: Device; onEdit: () => void }) => {
  const mayWrite = useMay('devices:write');
  const { remove } = useDeleteWithUndo();
  const items: MenuItem[] = [
    {
      label: 'Copy external id',
      icon: <Copy aria-hidden />,
      onSelect: () =>
        void copyText(device.externalId).then((copied) =>
          showToast(copied ? { title: `Copied ${device.externalId}` } : { title: 'Not copied', tone: 'bad' }),
        ),
    },
  ];
  if (mayWrite) {
    items.unshift({ label: 'Edit…', icon: <Pencil aria-hidden />, onSelect: onEdit });
    items.push('separator', {
      label: 'Delete',
      icon: <Trash2 aria-hidden />,
      isDanger: true,
      onSelect: () => void remove(device),
    });
  }
  return <Menu label={`Actions for ${device.name}`} isIconOnly icon={<Ellipsis />} items={items} />;
};

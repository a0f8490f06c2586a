import { Copy, Pencil, Trash2 } from 'lucide-react';
import type { Device } from '#contract/devices.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { copyText } from '../../ui/browser/copy-text.ts';
import { type MenuItem, MenuPopup } from '../../ui/overlays/menu-popup.tsx';
import type { SharedMenuProps } from '../../ui/overlays/shared-menu.tsx';
import { showToast } from '../../ui/feedback/toast.ts';
import { useQueryParams } from '../../ui/browser/query-params.ts';
import { withParams } from '../../ui/browser/with-params.ts';
import { useDeleteWithUndo } from '../../resources/devices/use-delete-with-undo.ts';

const copyId = async ({ externalId }: Device) => {
  const isCopied = await copyText(externalId);
  showToast(isCopied ? { title: `Copied ${externalId}` } : { title: 'Not copied', tone: 'bad' });
};

/** The actions on a device in its row. */
export const DeviceMenu = ({ row: device, ...popup }: SharedMenuProps<Device>) => {
  const [, setParams] = useQueryParams();
  const canWrite = useHasScope('devices:write');
  const { remove } = useDeleteWithUndo();
  const edit = () => setParams((old) => withParams(old, { edit: device.id }), { preventScrollReset: true });
  const copy: MenuItem = {
    label: 'Copy external ID',
    icon: <Copy aria-hidden />,
    onSelect: () => void copyId(device),
  };
  const items: MenuItem[] = canWrite
    ? [
        { label: 'Edit…', icon: <Pencil aria-hidden />, onSelect: edit },
        copy,
        'separator',
        {
          label: 'Delete',
          icon: <Trash2 aria-hidden />,
          isDanger: true,
          onSelect: () => void remove(device),
        },
      ]
    : [copy];
  return (
    <MenuPopup {...popup} items={items} align="end" side="bottom" label={`Actions for ${device.name}`} />
  );
};

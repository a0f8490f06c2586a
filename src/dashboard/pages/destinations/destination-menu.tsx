import { Ellipsis, Pencil, PlugZap, Trash2 } from 'lucide-react';
import type { Destination } from '#contract/destinations.ts';
import { isBuiltIn } from '../../resources/destinations/destination-state.tsx';
import { Menu } from '../../ui/overlays/menu.tsx';
import type { DestinationAct } from './destination-act.ts';

type Props = { destination: Destination; onAct: (act: DestinationAct) => void };

/** What can be done with a destination from its row. The built-in store can be tested only. */
export const DestinationMenu = ({ destination, onAct }: Props) => (
  <Menu
    label={`Actions for ${destination.name}`}
    isIconOnly
    icon={<Ellipsis />}
    items={[
      { label: 'Test', icon: <PlugZap aria-hidden />, onSelect: () => onAct('test') },
      ...(isBuiltIn(destination)
        ? []
        : ([
            { label: 'Edit…', icon: <Pencil aria-hidden />, onSelect: () => onAct('edit') },
            'separator',
            {
              label: 'Delete…',
              icon: <Trash2 aria-hidden />,
              isDanger: true,
              onSelect: () => onAct('delete'),
            },
          ] as const)),
    ]}
  />
);

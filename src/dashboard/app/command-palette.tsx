import { useQuery } from '@tanstack/react-query';
import { Settings } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { deviceQueries } from '../resources/devices/device-queries.ts';
import { useHasScope } from '../api/session-queries.ts';
import { paths } from '../paths.ts';
import { Palette, type PaletteGroup } from '../ui/overlays/palette.tsx';
import { DeviceStateDot } from '../resources/devices/device-state.tsx';
import { settingsSections } from '../pages/settings/settings-sections.ts';
import { useReachablePages, useReachable } from './navigation.ts';

/** Finds pages, settings and devices (by name or external ID). */
export const CommandPalette = ({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) => {
  const [text, setText] = useState('');
  const navigate = useNavigate();
  const pages = useReachablePages();
  const sections = useReachable(settingsSections);
  const canReadDevices = useHasScope('devices:read');
  const words = text.trim().toLowerCase();
  const devices = useQuery({
    ...deviceQueries.search(text.trim()),
    enabled: isOpen && words !== '' && canReadDevices,
  });
  const go = (to: string) => () => {
    setText('');
    void navigate(to);
  };

  const isMeant = ({ label, words: others = '' }: { label: string; words?: string }) =>
    `${label} ${others}`.toLowerCase().includes(words);

  const groups: PaletteGroup[] = [
    {
      heading: 'Pages',
      items: pages.filter(isMeant).map(({ label, to, icon: Icon }) => ({
        id: label,
        label,
        icon: <Icon aria-hidden />,
        onSelect: go(to),
      })),
    },
    {
      heading: 'Settings',
      items:
        words === ''
          ? []
          : sections.filter(isMeant).map(({ label, to }) => ({
              id: `settings ${label}`,
              label,
              icon: <Settings aria-hidden />,
              onSelect: go(to),
            })),
    },
    {
      heading: 'Devices',
      items:
        words === ''
          ? []
          : (devices.data?.data ?? []).map((device) => ({
              id: device.id,
              label: device.name,
              detail: (
                <span className="flex items-center gap-3">
                  <span className="hidden font-mono sm:inline">{device.externalId}</span>
                  <DeviceStateDot state={device.state} />
                </span>
              ),
              onSelect: go(paths.device(device.id)),
            })),
    },
  ];
  return (
    <Palette
      isOpen={isOpen}
      onClose={onClose}
      label="Find a device or page"
      text={text}
      onText={setText}
      groups={groups}
      empty={
        devices.isFetching ? 'Searching…' : devices.isError ? 'The search failed. Try again.' : 'No results.'
      }
    />
  );
};

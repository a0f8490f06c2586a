import { useQuery } from '@tanstack/react-query';
import { Settings } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { containsWords } from '#contract/search-words.ts';
import { apiKeyQueries } from '../resources/access/api-key-queries.ts';
import { destinationQueries } from '../resources/destinations/destination-queries.ts';
import { DestinationStateDot } from '../resources/destinations/destination-state.tsx';
import { deviceQueries } from '../resources/devices/device-queries.ts';
import { ExternalIdBesideName } from '../resources/devices/external-id.tsx';
import { DeviceStateDot } from '../resources/devices/device-state.tsx';
import { pipelineQueries } from '../resources/pipelines/pipeline-queries.ts';
import { PipelineStateDot } from '../resources/pipelines/pipeline-state.tsx';
import { useHasKnownScope } from '../api/session-queries.ts';
import { paths, withQuery } from '../paths.ts';
import { Palette, type PaletteGroup } from '../ui/overlays/palette.tsx';
import { settingsSections } from '../pages/settings/settings-sections.ts';
import { useReachablePages, useReachable } from './navigation.ts';
import { paletteActions } from './palette-actions.tsx';

/** What the service finds by name. The last results stay until the next ones arrive. */
const useSearchResults = (q: string, isOpen: boolean) => {
  const isSearching = isOpen && q !== '';
  const [seesDevices, seesPipelines, seesKeys] = [
    useHasKnownScope('devices:read'),
    useHasKnownScope('pipelines:read'),
    useHasKnownScope('api-keys:manage'),
  ];
  const devices = useQuery({ ...deviceQueries.search(q), enabled: isSearching && seesDevices });
  const pipelines = useQuery({ ...pipelineQueries.search(q), enabled: isSearching && seesPipelines });
  const destinations = useQuery({ ...destinationQueries.search(q), enabled: isSearching && seesPipelines });
  const keys = useQuery({ ...apiKeyQueries.search(q), enabled: isSearching && seesKeys });
  const all = [devices, pipelines, destinations, keys];
  return {
    devices: isSearching ? (devices.data?.data ?? []) : [],
    pipelines: isSearching ? (pipelines.data?.data ?? []) : [],
    destinations: isSearching ? (destinations.data?.data ?? []) : [],
    keys: isSearching ? (keys.data?.data ?? []) : [],
    isSearching: isSearching && all.some((each) => each.isLoading || each.isPlaceholderData),
    isError: all.some((each) => each.isError),
  };
};

/** Finds pages, settings, devices, pipelines, destinations and API keys, and offers the actions of the session. */
export const CommandPalette = ({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) => {
  const [text, setText] = useState('');
  const [wasOpen, setWasOpen] = useState(isOpen);
  // Each opening starts with an empty field.
  if (isOpen !== wasOpen) {
    setWasOpen(isOpen);
    if (isOpen) setText('');
  }
  const navigate = useNavigate();
  const pages = useReachablePages();
  const sections = useReachable(settingsSections);
  const actions = useReachable(paletteActions);
  const found = useSearchResults(text.trim(), isOpen);
  const hasText = text.trim() !== '';
  const go = (to: string) => () => void navigate(to);
  const matchesText = ({ label, words: others = '' }: { label: string; words?: string }) =>
    containsWords(`${label} ${others}`, text);

  const groups: PaletteGroup[] = [
    {
      heading: 'Pages',
      items: pages.filter(matchesText).map(({ label, to, icon: Icon }) => ({
        id: label,
        label,
        icon: <Icon aria-hidden />,
        onSelect: go(to),
      })),
    },
    {
      heading: 'Actions',
      items: actions
        .filter((action) => (hasText ? matchesText(action) : action.isSuggested === true))
        .map((action) => ({
          id: `action-${action.label.replaceAll(/\W+/g, '-')}`,
          label: action.label,
          icon: action.icon,
          ...('to' in action ? { onSelect: go(action.to) } : { onSelect: action.run, staysOnPage: true }),
        })),
    },
    {
      heading: 'Settings',
      items: (hasText ? sections.filter(matchesText) : []).map(({ label, to }) => ({
        id: `settings-${label.replaceAll(' ', '-')}`,
        label,
        icon: <Settings aria-hidden />,
        onSelect: go(to),
      })),
    },
    {
      heading: 'Devices',
      isFound: true,
      items: found.devices.map((device) => ({
        id: device.id,
        label: device.name,
        alias: <ExternalIdBesideName {...device} />,
        detail: <DeviceStateDot state={device.state} />,
        onSelect: go(paths.device(device.id)),
      })),
    },
    {
      heading: 'Pipelines',
      isFound: true,
      items: found.pipelines.map((pipeline) => ({
        id: pipeline.id,
        label: pipeline.name,
        detail: <PipelineStateDot pipeline={pipeline} />,
        onSelect: go(paths.pipeline(pipeline.id)),
      })),
    },
    {
      heading: 'Destinations',
      isFound: true,
      items: found.destinations.map((destination) => ({
        id: destination.id,
        label: destination.name,
        detail: <DestinationStateDot destination={destination} />,
        onSelect: go(withQuery(paths.destinations, { destination: destination.id })),
      })),
    },
    {
      heading: 'API keys',
      isFound: true,
      items: found.keys.map(({ id, name, prefix, last4 }) => ({
        id,
        label: name,
        detail: <span className="hidden font-mono sm:inline">{`${prefix}…${last4}`}</span>,
        onSelect: go(withQuery(paths.apiKeys, { key: id })),
      })),
    },
  ];
  return (
    <Palette
      isOpen={isOpen}
      onClose={onClose}
      label="Search or run an action"
      text={text}
      onText={setText}
      groups={groups}
      isSearching={found.isSearching}
      empty={
        found.isSearching ? 'Searching…' : found.isError ? 'The search failed. Try again.' : 'No results.'
      }
    />
  );
};

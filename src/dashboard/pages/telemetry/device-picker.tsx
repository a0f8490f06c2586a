import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { describeError, hasCode } from '../../api/api-error.ts';
import { telemetryQueries } from '../../resources/telemetry/telemetry-queries.ts';
import { ExternalIdBesideName } from '../../resources/devices/external-id.tsx';
import { DeviceStateDot } from '../../resources/devices/device-state.tsx';
import { useTagSuggestions } from '../../resources/devices/tag-suggestions.ts';
import { plural } from '../../ui/format/format-number.ts';
import { facetQuery } from '../../resources/devices/facet-queries.ts';
import type { ComboboxOption } from '../../ui/controls/combobox-popup.tsx';
import { MultiCombobox } from '../../ui/controls/combobox.tsx';
import { Field } from '../../ui/controls/field.tsx';
import type { ChosenDevices } from './chosen-devices.ts';
import type { TelemetryView } from './telemetry-view.ts';
import { useSearchKey } from '../../ui/browser/search-key.ts';

type Choice = Pick<TelemetryView, 'devices' | 'tags' | 'types'>;
type Props = { choice: Choice; chosen: ChosenDevices; onChange: (choice: Choice) => void };

const TAG = 'tag=';
/** The number of tags of a key among the suggestions; others are found by typing. */
const TAGS_PER_KEY = 2;
/** The number of types among the suggestions: those of most devices that begin with the typed text. */
const MAX_TYPES = 2;

const tagLabel = (tag: string) => tag.replace(':', ': ');
const tagOption = (tag: string): ComboboxOption => ({
  value: `${TAG}${tag}`,
  label: tagLabel(tag),
  closesList: true,
});

const TYPE = 'type=';
const typeOption = (type: string): ComboboxOption => ({
  value: `${TYPE}${type}`,
  label: `type: ${type}`,
  detail: 'all devices of this type',
  closesList: true,
});

/** Chooses devices one by one, by name or external ID, or all that have a tag or a type. `/` goes to it. */
export const DevicePicker = ({ choice, chosen, onChange }: Props) => {
  const [text, setText] = useState('');
  const typed = text.trim();
  const found = useQuery(telemetryQueries.findDevices(typed));
  const types = useQuery({
    ...facetQuery({ by: 'type', limit: MAX_TYPES, ...(typed !== '' && { prefix: typed }) }),
    // Options must not move while one is chosen.
    refetchInterval: false,
  });
  const { tags, isLoading } = useTagSuggestions(typed, TAGS_PER_KEY);
  const devices = found.data?.data ?? [];
  const single: ComboboxOption[] = devices.map((device) => ({
    value: device.id,
    label: device.name,
    alias: <ExternalIdBesideName {...device} />,
    detail: <DeviceStateDot state={device.state} />,
  }));
  const groups = [
    ...(types.data?.data ?? []).map(({ value }) => typeOption(value)),
    ...tags.map(({ key, value, total }) => ({
      ...tagOption(`${key}:${value}`),
      detail: plural(total, 'device'),
    })),
  ];
  // Types and tags that match what was typed are few: below the devices nobody would see them.
  const options = typed === '' ? [...single, ...groups] : [...groups, ...single];
  const names = new Map(chosen.devices.map(({ id, name }) => [id, name]));
  const value: ComboboxOption[] = [
    ...choice.tags.map(tagOption),
    ...choice.types.map(typeOption),
    ...choice.devices
      .filter((id) => !chosen.missing.includes(id))
      // An ID is longer than most names: the pickers would move when the name is known.
      .map((id) => ({ value: id, label: names.get(id) ?? (chosen.isPending ? '…' : id) })),
  ];
  const area = useRef<HTMLDivElement>(null);
  useSearchKey(() => area.current?.querySelector('input')?.focus());
  const isForbidden = hasCode(found.error, 'insufficient-scope');
  return (
    <div ref={area}>
      <Field
        label="Devices"
        error={found.error === null || isForbidden ? undefined : describeError(found.error).detail}
        {...(isForbidden && {
          help: 'Your key lacks devices:read. Links that name devices still work.',
        })}
      >
        <MultiCombobox
          // Labelled again: the kit hides the label from screen readers while the list is open.
          aria-label="Devices"
          value={value}
          options={options}
          onChange={(next) => {
            const values = next.map(({ value }) => value);
            const after = (start: string) =>
              values.filter((each) => each.startsWith(start)).map((each) => each.slice(start.length));
            onChange({
              devices: values.filter((each) => !each.startsWith(TAG) && !each.startsWith(TYPE)),
              tags: after(TAG),
              types: after(TYPE),
            });
          }}
          onSearch={setText}
          isLoading={isLoading || [found, types].some((each) => each.isPending || each.isPlaceholderData)}
          placeholder="Name, external ID, type, or a tag as key:value"
          emptyText={typed.includes(':') ? 'No devices with this tag.' : 'No matching devices.'}
        />
      </Field>
    </div>
  );
};

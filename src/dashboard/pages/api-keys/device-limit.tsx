import { useMutation, useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { devicesApi } from '#contract/devices.ts';
import { describeError } from '../../api/api-error.ts';
import { call } from '../../api/client.ts';
import { ExternalIdBesideName } from '../../resources/devices/external-id.tsx';
import { useTagSuggestions } from '../../resources/devices/tag-suggestions.ts';
import { tagValueLabel } from '../../resources/devices/tag-list.tsx';
import { plural } from '../../ui/format/format-number.ts';
import { deviceQueries } from '../../resources/devices/device-queries.ts';
import { Checkbox } from '../../ui/controls/checkbox.tsx';
import { MultiCombobox } from '../../ui/controls/combobox.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { readPages } from '../../api/paged-list.ts';

type Props = {
  /** Ids; null: every device. */
  value: readonly string[] | null;
  onChange: (devices: string[] | null) => void;
  error: string | undefined;
};

const SUGGESTIONS = 20;
/** The number of devices that a key can be limited to. */
const MAX_DEVICES = 1_000;
/** Of the devices in a draft, the first ones are shown by name. */
const NAMED = 50;

/** Whether a key reaches all devices, or only chosen ones. */
export const DeviceLimit = ({ value, onChange, error }: Props) => (
  <div className="flex flex-col gap-3">
    <Checkbox
      label="Limit to specific devices"
      help="The key can only read and write these devices, and can only have device scopes."
      checked={value !== null}
      onChange={(event) => onChange(event.target.checked ? [] : null)}
    />
    {value !== null && <DevicePicker value={value} onChange={onChange} error={error} />}
  </div>
);

const TAG = 'tag=';
const VALUES_PER_KEY = 4;

/** The devices with a tag: one more than a key can have, if there are so many. */
const readTagged = async (tag: string): Promise<[id: string, name: string][]> => {
  const found: [string, string][] = [];
  const pages = readPages((page) => call(devicesApi.list, { query: { ...page, tag: [tag], sort: 'id' } }));
  for await (const devices of pages) {
    for (const { id, name } of devices) found.push([id, name]);
    if (found.length > MAX_DEVICES) break;
  }
  return found;
};

const DevicePicker = ({ value, onChange, error }: Omit<Props, 'value'> & { value: readonly string[] }) => {
  const [text, setText] = useState('');
  const found = useQuery(deviceQueries.search(text.trim(), SUGGESTIONS));
  const { tags, isLoading } = useTagSuggestions(text.trim(), VALUES_PER_KEY);
  const [chosen, setChosen] = useState<ReadonlyMap<string, string>>(new Map());
  // A draft contains only IDs.
  const read = useQueries({
    queries: value.map((id, index) => ({
      ...deviceQueries.detail(id),
      enabled: !chosen.has(id) && index < NAMED,
    })),
    combine: (results) => results.map(({ data }) => data?.name),
  });
  const adding = useMutation({
    mutationFn: readTagged,
    onSuccess: (devices) => {
      setChosen((before) => new Map([...before, ...devices]));
      onChange([...new Set([...value, ...devices.map(([id]) => id)])]);
    },
  });
  return (
    <Field
      label="Devices"
      error={adding.error === null ? error : describeError(adding.error).detail}
      help="Adding a tag adds the devices that have it now."
    >
      <MultiCombobox
        value={value.map((id, index) => ({ value: id, label: chosen.get(id) ?? read[index] ?? id }))}
        onChange={(options) => {
          const tag = options.find((option) => option.value.startsWith(TAG));
          if (tag !== undefined) return adding.mutate(tag.value.slice(TAG.length));
          setChosen(new Map(options.map((option) => [option.value, option.label])));
          onChange(options.map((option) => option.value));
        }}
        options={[
          ...(found.data?.data ?? []).map((device) => ({
            value: device.id,
            label: device.name,
            alias: <ExternalIdBesideName {...device} />,
          })),
          ...tags.map((tag) => ({
            value: `${TAG}${tag.key}:${tag.value}`,
            label: `${tag.key}: ${tagValueLabel(tag.value)}`,
            detail: plural(tag.total, 'device'),
          })),
        ]}
        onSearch={setText}
        isLoading={found.isPending || found.isPlaceholderData || isLoading}
        placeholder="Name, external ID, or a tag as key:value"
        emptyText={found.isError ? 'The search failed. Try again.' : 'No matching devices.'}
      />
    </Field>
  );
};

import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { deviceQueries } from '../../resources/devices/device-queries.ts';
import { Checkbox } from '../../ui/controls/checkbox.tsx';
import { MultiCombobox } from '../../ui/controls/combobox.tsx';
import { Field } from '../../ui/controls/field.tsx';

type Props = {
  /** Ids; null: every device. */
  value: readonly string[] | null;
  onChange: (devices: string[] | null) => void;
  error: string | undefined;
};

const SUGGESTIONS = 20;

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

const DevicePicker = ({ value, onChange, error }: Omit<Props, 'value'> & { value: readonly string[] }) => {
  const [text, setText] = useState('');
  const found = useQuery(deviceQueries.search(text.trim(), SUGGESTIONS));
  const [chosen, setChosen] = useState<ReadonlyMap<string, string>>(new Map());
  // A draft contains only IDs.
  const read = useQueries({
    queries: value.map((id) => ({ ...deviceQueries.detail(id), enabled: !chosen.has(id) })),
    combine: (results) => results.map(({ data }) => data?.name),
  });
  return (
    <Field label="Devices" error={error}>
      <MultiCombobox
        value={value.map((id, index) => ({ value: id, label: chosen.get(id) ?? read[index] ?? id }))}
        onChange={(options) => {
          setChosen(new Map(options.map((option) => [option.value, option.label])));
          onChange(options.map((option) => option.value));
        }}
        options={(found.data?.data ?? []).map(({ id, name, externalId }) => ({
          value: id,
          label: name,
          detail: <span className="font-mono">{externalId}</span>,
        }))}
        onSearch={setText}
        isLoading={found.isPending || found.isPlaceholderData}
        placeholder="Search by name or external ID"
        emptyText={found.isError ? 'The search failed. Try again.' : 'No matching devices.'}
      />
    </Field>
  );
};

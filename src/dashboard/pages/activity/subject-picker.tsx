import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { apiKeyQueries } from '../../resources/access/api-key-queries.ts';
import { ExternalIdBesideName } from '../../resources/devices/external-id.tsx';
import { deviceQueries } from '../../resources/devices/device-queries.ts';
import { pipelineQueries } from '../../resources/pipelines/pipeline-queries.ts';
import { useHasScope } from '../../api/session-queries.ts';
import type { ComboboxOption } from '../../ui/controls/combobox-popup.tsx';
import { Combobox } from '../../ui/controls/combobox.tsx';
import { Field } from '../../ui/controls/field.tsx';

/** The number of suggestions of each kind. */
const OFFERED = 6;

/** Finds a device, a pipeline or an API key by name, within the scopes of the session. */
export const SubjectPicker = ({ onChoose }: { onChoose: (id: string) => void }) => {
  const [text, setText] = useState('');
  const q = text.trim();
  const filter = q === '' ? {} : { q };
  const devices = useQuery({ ...deviceQueries.search(q, OFFERED), enabled: useHasScope('devices:read') });
  const pipelines = useInfiniteQuery({
    ...pipelineQueries.list(filter),
    enabled: useHasScope('pipelines:read'),
  });
  const keys = useQuery({ ...apiKeyQueries.search(q, OFFERED), enabled: useHasScope('api-keys:manage') });
  const offer = (
    found: readonly { id: string; name: string; externalId?: string }[] | undefined,
    detail: string,
  ): ComboboxOption[] =>
    (found ?? []).slice(0, OFFERED).map(({ id, name, externalId }) => ({
      value: id,
      label: name,
      alias: externalId !== undefined && <ExternalIdBesideName name={name} externalId={externalId} />,
      detail,
    }));
  return (
    <Field label="Subject name">
      <Combobox
        value={null}
        onChange={(option) => {
          if (option !== null) onChoose(option.value);
        }}
        options={[
          ...offer(devices.data?.data, 'Device'),
          ...offer(pipelines.data?.pages[0]?.data, 'Pipeline'),
          ...offer(keys.data?.data, 'API key'),
        ]}
        onSearch={setText}
        isLoading={devices.isLoading || pipelines.isLoading || keys.isLoading}
        placeholder="Name"
        emptyText="No results."
      />
    </Field>
  );
};

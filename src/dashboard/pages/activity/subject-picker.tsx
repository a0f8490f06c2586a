import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { apiKeyQueries } from '../../resources/access/api-key-queries.ts';
import { ExternalIdBesideName } from '../../resources/devices/external-id.tsx';
import { deviceQueries } from '../../resources/devices/device-queries.ts';
import { destinationQueries } from '../../resources/destinations/destination-queries.ts';
import { pipelineQueries } from '../../resources/pipelines/pipeline-queries.ts';
import { webhookQueries } from '../../resources/webhooks/webhook-queries.ts';
import { useHasScope } from '../../api/session-queries.ts';
import type { ComboboxOption } from '../../ui/controls/combobox-popup.tsx';
import { Combobox } from '../../ui/controls/combobox.tsx';
import { Field } from '../../ui/controls/field.tsx';

/** The number of suggestions of each kind. */
const OFFERED = 6;

/** Finds a device, a pipeline, a destination, a webhook or an API key by name, within the scopes of the session. */
export const SubjectPicker = ({ onChoose }: { onChoose: (id: string) => void }) => {
  const [text, setText] = useState('');
  const q = text.trim();
  const canManageKeys = useHasScope('api-keys:manage');
  const canReadPipelines = useHasScope('pipelines:read');
  const devices = useQuery({ ...deviceQueries.search(q, OFFERED), enabled: useHasScope('devices:read') });
  const pipelines = useQuery({ ...pipelineQueries.search(q, OFFERED), enabled: canReadPipelines });
  const destinations = useQuery({ ...destinationQueries.search(q, OFFERED), enabled: canReadPipelines });
  const webhooks = useQuery({
    ...webhookQueries.search(q, OFFERED),
    enabled: useHasScope('events:read'),
  });
  const keys = useQuery({ ...apiKeyQueries.search(q, OFFERED), enabled: canManageKeys });
  const offer = (
    found: { data: readonly { id: string; name: string; externalId?: string }[] } | undefined,
    detail: string,
  ): ComboboxOption[] =>
    (found?.data ?? []).map(({ id, name, externalId }) => ({
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
          ...offer(devices.data, 'Device'),
          ...offer(pipelines.data, 'Pipeline'),
          ...offer(destinations.data, 'Destination'),
          ...offer(webhooks.data, 'Webhook'),
          ...offer(keys.data, 'API key'),
        ]}
        onSearch={setText}
        isLoading={[devices, pipelines, destinations, webhooks, keys].some(
          (each) => each.isLoading || each.isPlaceholderData,
        )}
        placeholder="Name"
        emptyText="No results."
      />
    </Field>
  );
};

import type { Pipeline, PipelineType } from '#contract/pipelines.ts';
import { DestinationLink } from '../../resources/destinations/destination-link.tsx';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { KeyValueList } from '../../ui/layout/key-value-list.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import type { SchemaField } from '../../kit/schema-form/schema-field.ts';
import { SettingValue, CodeValue } from '../../kit/schema-form/setting-value.tsx';
import { configFieldsOf } from '../../resources/pipelines/config-fields.ts';
import { mappingLabel } from '../../resources/pipelines/mappings.ts';
import { intervalFacts } from '../../resources/pipelines/interval-setting.ts';

type Props = { pipeline: Pipeline; type: PipelineType | undefined };

/** The settings of a pipeline. */
export const PipelineFacts = ({ pipeline, type }: Props) => (
  <Panel title="Settings">
    <KeyValueList
      items={[
        { name: 'Type', value: type?.label ?? pipeline.type },
        { name: 'Destination', value: <DestinationLink name={pipeline.destination} /> },
        ...intervalFacts(pipeline.interval, type?.kind, pipeline.destination),
        ...settingsOf(pipeline, configFieldsOf(type)),
        ...mappingFacts(pipeline),
        {
          name: 'ID',
          value: (
            <span className="flex items-center gap-1">
              <code className="min-w-0 font-mono text-sm break-all">{pipeline.id}</code>
              <CopyButton text={pipeline.id} label="Copy ID" className="-my-1.5" />
            </span>
          ),
        },
        { name: 'Created', value: <RelativeTime at={pipeline.createdAt} /> },
        { name: 'Updated', value: <RelativeTime at={pipeline.updatedAt} /> },
      ]}
    />
  </Panel>
);

const mappingFacts = ({ mapping }: Pipeline) => [
  { name: 'Mapping', value: mappingLabel(mapping.format) },
  ...(mapping.format === 'auto'
    ? []
    : [{ name: 'Expression', value: <CodeValue value={mapping.expression ?? ''} /> }]),
];

/** The fields of the type, and further fields of a draft. */
const settingsOf = ({ config }: Pipeline, fields: readonly SchemaField[]) => [
  ...fields.map((field) => ({
    name: field.label,
    value: <SettingValue field={field} value={config[field.name]} />,
  })),
  ...Object.entries(config)
    .filter(([key]) => !fields.some(({ name }) => name === key))
    .map(([key, value]) => ({ name: key, value: <CodeValue value={value} /> })),
];

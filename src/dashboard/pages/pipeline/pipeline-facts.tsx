import type { Pipeline, PipelineType } from '#contract/pipelines.ts';
import { DestinationLink } from '../../resources/destinations/destination-link.tsx';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { KeyValueList } from '../../ui/layout/key-value-list.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { valueText, type SchemaField } from '../../kit/schema-form/schema-field.ts';
import { configFieldsOf } from '../../resources/pipelines/config-fields.ts';
import { intervalFacts } from '../../resources/pipelines/interval-in-words.ts';

type Props = { pipeline: Pipeline | undefined; type: PipelineType | undefined };

/** The settings of a pipeline. */
export const PipelineFacts = ({ pipeline, type }: Props) => (
  <Panel title="Settings">
    {pipeline === undefined ? (
      <KeyValueList
        items={['Type', 'Destination', 'ID', 'Created'].map((name) => ({
          name,
          value: <Skeleton className="my-1 w-28" />,
        }))}
      />
    ) : (
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
    )}
  </Panel>
);

/** Messages are recognised unless an expression maps them. */
const mappingFacts = ({ mapping }: Pipeline) =>
  mapping.format === 'auto'
    ? []
    : [
        {
          name: 'Mapping',
          value: (
            <code className="block max-h-40 overflow-y-auto font-mono text-sm break-words whitespace-pre-wrap">
              {mapping.expression ?? ''}
            </code>
          ),
        },
      ];

/** The fields of the type, and further fields of a draft. */
const settingsOf = ({ config }: Pipeline, fields: readonly SchemaField[]) => [
  ...fields.map(({ name, label, kind, default: fallback }) => ({
    name: label,
    value:
      config[name] !== undefined ? (
        <code className="font-mono text-sm break-all">
          {kind === 'secret' ? '***' : valueText(config[name])}
        </code>
      ) : fallback === undefined ? (
        <span className="text-faint">–</span>
      ) : (
        <>
          <code className="font-mono text-sm break-all">{valueText(fallback)}</code>
          <span className="ml-2 text-sm text-muted">default</span>
        </>
      ),
  })),
  ...Object.entries(config)
    .filter(([key]) => !fields.some(({ name }) => name === key))
    .map(([key, value]) => ({
      name: key,
      value: <code className="font-mono text-sm break-all">{valueText(value)}</code>,
    })),
];

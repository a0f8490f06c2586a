import { useQuery } from '@tanstack/react-query';
import type { Pipeline, PipelineType } from '#contract/pipelines.ts';
import { capitalize } from '#contract/capitalize.ts';
import type { Preview } from '#contract/messages.ts';
import type { SchemaField } from '../../kit/schema-form/schema-field.ts';
import { messageQueries } from '../../resources/pipelines/message-queries.ts';
import { Button } from '../../ui/controls/button.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import type { FormStep } from './form-steps.ts';
import { withoutMessages, type PipelineFormValues } from './pipeline-form-values.ts';
import { messageFields } from './message-fields.ts';
import { HTTP, previewBodyOf, topicIn } from './preview-body.ts';
import { hasFieldRoles, isMappedByUser } from './role-expression.ts';
import { findConvention } from './topic-convention.ts';

type AdviceInput = {
  type: string;
  /** The field of the form with the topic of messages; undefined: they have none. */
  topicField: SchemaField | undefined;
  /** The topic filter of the form; empty: none. */
  filter: string;
  message: string;
  preview: Preview;
  expression: string | null;
};

/** The wildcard of one level of a topic. */
const wildcardOf = (type: string): string => (type === 'nats' ? '*' : '+');

/** What names the device of the message in Preview, with the words of the form and of the source. */
export const noDeviceAdvice = ({
  type,
  topicField,
  filter,
  message,
  preview,
  expression,
}: AdviceInput): string => {
  const fields = messageFields(message);
  const ways = [
    ...(isMappedByUser(fields, preview, expression)
      ? ['return “device” from your expression']
      : fields.length > 0 && hasFieldRoles(preview)
        ? ['choose the role Device for a field above']
        : []),
    ...(topicField === undefined
      ? []
      : filter.includes(wildcardOf(type))
        ? ['enter the topic of the message under Published to']
        : [
            `put ${wildcardOf(type)} at the level of the ${topicField.label.toLowerCase()} that names the device`,
          ]),
    ...(type === HTTP ? ['send messages with ?device='] : []),
    'enter one device for all messages under Device',
  ];
  const text = [ways.slice(0, -1).join(', '), ways.at(-1)].filter((part) => part !== '').join(' or ');
  return `These samples name no device. ${capitalize(text)}.`;
};

type Props = {
  values: PipelineFormValues;
  types: readonly PipelineType[];
  /** Undefined for a new pipeline. */
  pipeline: Pipeline | undefined;
  fields: readonly SchemaField[];
  onGo: (step: FormStep) => void;
  onGoTo: (pointer: string) => void;
};

/** Whether a message would be rejected because nothing names its device, or fields name several. */
const lacksDevice = ({ unnamed, rejections }: Preview): boolean =>
  unnamed.length > 0 ||
  rejections.some(({ reason }) => reason === 'device-missing' || reason === 'device-ambiguous');

/** Whether messages on a topic filter must name their device. A wildcard, or a known tool, names it. */
const mustNameDevice = (filter: string, wildcard: string): boolean =>
  filter !== '' && !filter.includes(wildcard) && findConvention(filter) === undefined;

/** Says before the pipeline is saved that the device of its messages is unknown, and what to do. */
export const NoDeviceNotice = ({ values, types, pipeline, fields, onGo, onGoTo }: Props) => {
  const type = types.find((each) => each.type === values.type);
  const hasMessage = values.message.trim() !== '' && !withoutMessages.has(values.type);
  const preview = useQuery({
    ...messageQueries.preview(previewBodyOf(values, types, pipeline)),
    enabled: hasMessage,
  });
  const topicField = fields.find(({ name }) => name === type?.topicField);
  const deviceField = fields.find(({ name }) => name === 'device');
  const wildcard = wildcardOf(values.type);
  const filter = topicIn(values.config, topicField);
  // The topic of the message in Preview is unknown, and may name the device.
  const isNamedByTopic = filter.includes(wildcard) && values.topic === '';
  const isUnnamed = hasMessage
    ? preview.data !== undefined && lacksDevice(preview.data) && !isNamedByTopic
    : topicField !== undefined &&
      values.mapping === 'auto' &&
      (values.config['device'] ?? '') === '' &&
      mustNameDevice(filter, wildcard);
  if (!isUnnamed) return null;
  return (
    <FormNotice
      tone="attention"
      action={
        <>
          <Button onClick={() => onGo('format')}>
            {hasMessage ? 'Choose the field in Preview' : 'Preview a message'}
          </Button>
          {topicField !== undefined && (
            <Button onClick={() => onGoTo(`/config/${topicField.name}`)}>
              Put {wildcard} in the {topicField.label.toLowerCase()}
            </Button>
          )}
          {deviceField !== undefined && (
            <Button onClick={() => onGoTo('/config/device')}>Set one device</Button>
          )}
        </>
      }
    >
      {hasMessage
        ? 'The message in Preview does not name its device. Messages like this one will be rejected.'
        : `The ${topicField?.label.toLowerCase()} has no level for the device. Messages that do not name their device will be rejected.`}
    </FormNotice>
  );
};

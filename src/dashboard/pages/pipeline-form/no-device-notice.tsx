import { useQuery } from '@tanstack/react-query';
import type { Pipeline, PipelineType } from '#contract/pipelines.ts';
import type { Preview } from '#contract/messages.ts';
import { valueText, type SchemaField } from '../../kit/schema-form/schema-field.ts';
import { messageQueries } from '../../resources/pipelines/message-queries.ts';
import { Button } from '../../ui/controls/button.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import type { FormStep } from './form-steps.ts';
import { withoutMessages, type PipelineFormValues } from './pipeline-form-values.ts';
import { wildcardOf } from './no-device-advice.ts';
import { previewBodyOf } from './preview-body.ts';
import { findConvention } from './topic-convention.ts';

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
  const isUnnamed = hasMessage
    ? preview.data !== undefined && lacksDevice(preview.data)
    : topicField !== undefined &&
      values.mapping === 'auto' &&
      (values.config['device'] ?? '') === '' &&
      mustNameDevice(valueText(values.config[topicField.name] || (topicField.default ?? '')), wildcard);
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

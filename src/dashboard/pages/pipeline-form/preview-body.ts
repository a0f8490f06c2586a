import type { BodyOf } from '#contract/endpoint.ts';
import type { messagesApi } from '#contract/messages.ts';
import type { Pipeline, PipelineType } from '#contract/pipelines.ts';
import { valueText, type FieldInputs, type SchemaField } from '../../kit/schema-form/schema-field.ts';
import { configIn, mappingIn, type PipelineFormValues } from './pipeline-form-values.ts';

/** Senders of this type may name the device outside the message. */
export const HTTP = 'http';

/** The topic in the config, or the default. */
export const topicIn = (config: FieldInputs, field: SchemaField | undefined): string =>
  valueText(config[field?.name ?? ''] || (field?.default ?? ''));

/** The request that previews the message of a form. */
export const previewBodyOf = (
  values: PipelineFormValues,
  types: readonly PipelineType[],
  pipeline: Pipeline | undefined,
): BodyOf<typeof messagesApi.preview> => {
  const { name, type, destination, message, topic, device, mapping } = values;
  const hasTopic = (types.find((known) => known.type === type)?.topicField ?? null) !== null;
  return {
    type,
    destination,
    message,
    config: configIn(values, types) ?? {},
    ...(pipeline !== undefined && { pipeline: pipeline.id }),
    ...(name.trim() !== '' && { name: name.trim().slice(0, 100) }),
    ...(mapping === 'expression' && { mapping: mappingIn(values) }),
    ...(hasTopic && topic !== '' && { topic }),
    ...(type === HTTP && device !== '' && { device }),
  };
};

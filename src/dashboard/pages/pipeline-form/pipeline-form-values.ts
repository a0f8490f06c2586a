import type { UseFormReturn } from 'react-hook-form';
import * as z from 'zod';
import {
  newPipelineSchema,
  mappingFormats,
  TELEMETRY,
  type Mapping,
  type NewPipeline,
  type Pipeline,
  type PipelineChange,
  type PipelineType,
} from '#contract/pipelines.ts';
import { changedOf } from '../../kit/forms/use-zod-form.ts';
import { patchOf, inputOf, valuesOf, type FieldValues } from '../../kit/schema-form/schema-field.ts';
import { configFieldsOf, configProblemsOf } from '../../resources/pipelines/config-fields.ts';
import {
  intervalUnits,
  secondsIn,
  splitInterval,
  usesInterval,
} from '../../resources/pipelines/interval-setting.ts';
import { localTimeZone } from '../../ui/format/local-time-zone.ts';
import { findConvention } from './topic-convention.ts';
import { deviceLevelOf, filterOfDevices, isLiteralTopic, nameOfTopic } from './topic-levels.ts';

const DEFAULT_INTERVAL_S = 10;
const { name, type, destination, interval } = newPipelineSchema.shape;
const units = intervalUnits.map(({ value }) => value);

/** These types poll values, so there is no message to paste. */
export const withoutMessages = new Set(['host']);

/** The form: the fields of a pipeline, and the message of its preview. */
export const pipelineFormSchema = (types: readonly PipelineType[]) =>
  z
    .object({
      name,
      type,
      every: z.number().nullable().catch(Number.NaN),
      unit: z.enum(units),
      destination,
      mapping: z.enum(mappingFormats),
      expression: z.string(),
      config: z.record(z.string(), z.union([z.string(), z.boolean(), z.undefined()])),
      message: z.string(),
      topic: z.string(),
      device: z.string(),
    })
    .superRefine((values, context) => {
      const seconds = interval.safeParse(intervalIn(values, types));
      if (!seconds.success)
        context.addIssue({
          code: 'custom',
          path: ['every'],
          message: seconds.error.issues[0]?.message ?? '',
        });
      if (values.mapping === 'expression' && values.expression.trim() === '')
        context.addIssue({ code: 'custom', path: ['expression'], message: 'Must not be empty.' });
      const fields = configFieldsOf(types.find((known) => known.type === values.type));
      for (const { path, message } of configProblemsOf(values.type, fields, values.config))
        context.addIssue({ code: 'custom', path: ['config', ...path], message });
    });
export type PipelineFormValues = z.output<ReturnType<typeof pipelineFormSchema>>;
export type PipelineFormState = UseFormReturn<PipelineFormValues, unknown, PipelineFormValues>;

/** A message to preview, and its origin. Left out: unknown. */
export type SampleMessage = { message: string; topic?: string | null; device?: string | null };

/** The message that the preview starts with, and its origin. */
export type StartMessage = { message: string; topic: string; device: string };

/** A message with the device that its topic or sender names. */
export type OriginalMessage = { message: string; topic: string | null; defaultDevice: string | null };

/** A message to preview as it was sent. */
export const asSent = ({ message, topic, defaultDevice: device }: OriginalMessage): SampleMessage => ({
  message,
  topic,
  device,
});

/** Puts a message into the preview. An unknown device leaves the typed one. */
export const fillPreview = (
  { setValue }: Pick<PipelineFormState, 'setValue'>,
  { message, topic, device }: SampleMessage,
  options: { shouldDirty: boolean } = { shouldDirty: true },
) => {
  setValue('message', message, options);
  setValue('topic', topic ?? '', options);
  if (device !== undefined) setValue('device', device ?? '', options);
};

/** The key of toasts that undo a change of the mapping. An earlier undo would also undo the later changes. */
export const MAPPING_TOAST = 'mapping';

export const setMapping = (
  { setValue }: Pick<PipelineFormState, 'setValue'>,
  { mapping, expression }: Pick<PipelineFormValues, 'mapping' | 'expression'>,
) => {
  setValue('mapping', mapping, { shouldDirty: true });
  setValue('expression', expression, { shouldDirty: true, shouldValidate: true });
};

/** The values without typed secrets, which drafts must not contain. */
export const withoutSecrets = (
  typed: PipelineFormValues,
  from: PipelineFormValues,
  types: readonly PipelineType[],
): PipelineFormValues => {
  const secrets = configFieldsOf(types.find((known) => known.type === typed.type)).filter(
    ({ isSecret }) => isSecret,
  );
  return {
    ...typed,
    config: { ...typed.config, ...inputOf(secrets, from.config) },
  };
};

/** NaN if no number was typed. */
export const secondsOf = ({ every, unit }: Pick<PipelineFormValues, 'every' | 'unit'>): number =>
  (every ?? NaN) * secondsIn(unit);

/** The initial values of a form. */
export type PipelineStart = Pick<
  Pipeline,
  'name' | 'type' | 'interval' | 'destination' | 'mapping' | 'config'
>;

/** What the form starts from: an existing pipeline, a copy of one, or a new one. */
export const formValuesOf = (
  pipeline: PipelineStart | undefined,
  types: readonly PipelineType[],
  sample: StartMessage | null = null,
): PipelineFormValues => {
  const type = pipeline?.type ?? types[0]?.type ?? '';
  return {
    name: pipeline?.name ?? '',
    type,
    ...splitInterval(pipeline?.interval ?? DEFAULT_INTERVAL_S),
    destination: pipeline?.destination ?? TELEMETRY,
    mapping: pipeline?.mapping.format ?? 'auto',
    expression: pipeline?.mapping.expression ?? '',
    config: inputOf(configFieldsOf(types.find((known) => known.type === type)), pipeline?.config ?? {}),
    message: sample?.message ?? '',
    topic: sample?.topic ?? '',
    device: sample?.device ?? '',
  };
};

/**
 * The initial values for a new pipeline on a topic of the embedded broker. The topic of a known tool becomes the topic
 * filter of all its devices, and so does a topic of which one level is evidently the device.
 */
export const startWithTopic = (topic: string, message: string): PipelineStart => {
  const convention = findConvention(topic);
  const topicFilter =
    convention?.topicFilter ??
    (isLiteralTopic(topic) ? filterOfDevices(topic, deviceLevelOf(topic, message)) : topic);
  return {
    name: convention?.name ?? nameOfTopic(topicFilter),
    type: 'mqtt',
    interval: DEFAULT_INTERVAL_S,
    destination: TELEMETRY,
    mapping: { format: 'auto' },
    config: {
      topic: topicFilter,
      ...(convention?.hasLocalTimes === true && { timeZone: localTimeZone() }),
    },
  };
};

/** A pipeline as a template of another one. Its new name fits the maximum length. */
export const copyOf = (pipeline: Pipeline): Pipeline => ({
  ...pipeline,
  name: `${pipeline.name.slice(0, 95)} copy`,
});

export const newPipelineOf = (values: PipelineFormValues, types: readonly PipelineType[]): NewPipeline => {
  const config = configIn(values, types);
  return {
    name: values.name,
    type: values.type,
    interval: intervalIn(values, types),
    destination: values.destination,
    ...(config !== null && Object.keys(config).length > 0 && { config }),
    ...(values.mapping === 'expression' && { mapping: mappingIn(values) }),
  };
};

/** The interval of the form in seconds. An invalid one in a field that is no longer shown is replaced. */
const intervalIn = (
  values: PipelineFormValues,
  types: readonly PipelineType[],
  replacement = DEFAULT_INTERVAL_S,
): number => {
  const seconds = secondsOf(values);
  const kind = types.find(({ type }) => type === values.type)?.kind;
  const isKept = usesInterval(kind, values.destination) || interval.safeParse(seconds).success;
  return isKept ? seconds : replacement;
};

/** The config of the form; null if its type is unknown. */
export const configIn = (
  { type, config }: Pick<PipelineFormValues, 'type' | 'config'>,
  types: readonly PipelineType[],
): FieldValues | null => {
  const known = types.find((known) => known.type === type);
  return known === undefined ? null : valuesOf(configFieldsOf(known), config);
};

/** The mapping of the form. An unused expression is kept. */
export const mappingIn = ({
  mapping,
  expression,
}: Pick<PipelineFormValues, 'mapping' | 'expression'>): Mapping => ({
  format: mapping,
  ...(expression !== '' && { expression }),
});

/** Fields of the preview, which is not saved. */
const previewFields: readonly string[] = ['message', 'topic', 'device'];

/** Whether fields of the pipeline differ from what the form was filled from. */
export const hasChanges = (from: PipelineFormValues, typed: PipelineFormValues): boolean =>
  Object.keys(changedOf(from, typed)).some((name) => !previewFields.includes(name));

/** The changes of the form as a merge patch: cleared fields are null. */
export const changeOf = (
  pipeline: Pipeline,
  values: PipelineFormValues,
  types: readonly PipelineType[],
): PipelineChange => {
  const change: PipelineChange = {};
  if (values.name !== pipeline.name) change.name = values.name;
  if (values.type !== pipeline.type) change.type = values.type;
  const interval = intervalIn(values, types, pipeline.interval);
  if (interval !== pipeline.interval) change.interval = interval;
  if (values.destination !== pipeline.destination) change.destination = values.destination;
  const mapping = patchOf(pipeline.mapping, mappingIn(values));
  if (Object.keys(mapping).length > 0) change.mapping = mapping;
  const config = configIn(values, types);
  if (config !== null) {
    const patch = patchOf(pipeline.config, config);
    if (Object.keys(patch).length > 0) change.config = patch;
  }
  return change;
};

import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useWatch } from 'react-hook-form';
import type { Mapping, Pipeline, PipelineType } from '#contract/pipelines.ts';
import { describeError } from '../../api/api-error.ts';
import { messageQueries } from '../../resources/pipelines/message-queries.ts';
import { Button } from '../../ui/controls/button.tsx';
import { useDebounced } from '../../ui/browser/debounced.ts';
import { Field } from '../../ui/controls/field.tsx';
import { RecentMessages } from './recent-messages.tsx';
import { useNumericDeviceCounts } from '../../resources/telemetry/numeric-device-counts.ts';
import { Panel } from '../../ui/layout/panel.tsx';
import { TextArea, TextInput } from '../../ui/controls/text-input.tsx';
import { configFieldsOf } from '../../resources/pipelines/config-fields.ts';
import { fillPreview, withoutMessages, type PipelineFormState } from './pipeline-form-values.ts';
import { noDeviceAdvice } from './no-device-notice.tsx';
import { HTTP, previewBodyOf, topicIn } from './preview-body.ts';
import { exampleFor, namedMessage, registersMessage } from '../../resources/pipelines/example-message.ts';
import type { Preview } from '#contract/messages.ts';
import { cx } from '../../ui/browser/cx.ts';
import { HeldContent } from '../../ui/browser/held-content.tsx';
import { formatCount, plural } from '../../ui/format/format-number.ts';
import { reasonInWords } from '#contract/rejection-reason.ts';
import { PreviewFields } from './preview-fields.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { Dot } from '../../ui/feedback/state-dot.tsx';
import { describeFormat } from '../../resources/pipelines/describe-format.ts';
import { SampleTable, samplesOf } from '../../resources/pipelines/sample-table.tsx';
import { useStaleClass } from '../../ui/feedback/stale-class.ts';

type Props = {
  form: PipelineFormState;
  types: readonly PipelineType[];
  /** Undefined for a new pipeline, which has no received or rejected messages. */
  pipeline: Pipeline | undefined;
  onUseExpression: (expression: string) => void;
  /** True while a list of roles is open: the preview does not change. */
  isHeld: boolean;
  onListOpenChange: (isOpen: boolean) => void;
};

const REST_MS = 250;
const EXAMPLE = '{"temperature": 21.5, "humidity": 40}';

/** Where to get a message of a source. */
const helpOf = (type: string): string => {
  if (type === 'modbus') return 'Test reads the registers and shows their values here as a message.';
  return type === 'http-poll'
    ? 'Paste a response of the URL, or let Test fetch one.'
    : 'Paste a message from one of your devices.';
};

const isWithoutExpression = (mapping: Mapping | undefined): boolean =>
  mapping?.format === 'expression' && (mapping.expression ?? '').trim() === '';

/** Previews what a message becomes while typing. Nothing is stored. */
export const PreviewPanel = ({ form, types, pipeline, onUseExpression, isHeld, onListOpenChange }: Props) => {
  // The form object is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
  const { control, register } = form;
  const values = useWatch({ control, compute: (now) => now });
  const { type, config, message, mapping, expression } = values;
  const known = types.find((candidate) => candidate.type === type);
  const topicField = configFieldsOf(known).find((field) => field.name === known?.topicField);
  const used = mapping === 'expression' ? expression : null;
  const isOff = withoutMessages.has(type);
  const typed = previewBodyOf(values, types, pipeline);
  const body = useDebounced(typed, REST_MS);
  const preview = useQuery({
    ...messageQueries.preview(body),
    enabled: !isOff && body.message.trim() !== '' && !isWithoutExpression(body.mapping),
  });
  const patterns = topicField && [config[topicField.name], topicField.default, topicField.example];
  const pattern = patterns?.find((each): each is string => typeof each === 'string' && each !== '');
  // Without a topic, the message names the device.
  const example =
    pattern === undefined
      ? { topic: '', message: type === 'modbus' ? registersMessage : namedMessage }
      : exampleFor(pattern, (config['device'] ?? '') !== '');

  if (isOff) return null;
  return (
    <Panel title="Preview" aside="Nothing is saved">
      <div className="flex flex-col gap-4">
        <Field label="Message" optional help={helpOf(type)}>
          <TextArea
            {...register('message')}
            rows={5}
            maxLength={65_536}
            spellCheck={false}
            placeholder={EXAMPLE}
            className="max-h-72 font-mono text-sm"
          />
        </Field>
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => fillPreview(form, example)}>Use an example</Button>
          <RecentMessages
            pipeline={pipeline}
            // Only the embedded broker lists the messages that no pipeline received.
            topicFilter={type === 'mqtt' && (config['url'] ?? '') === '' ? topicIn(config, topicField) : null}
            onUse={(sample) => fillPreview(form, sample)}
          />
        </div>
        {topicField !== undefined && (
          <Field
            label="Published to"
            optional
            help={`The ${topicField.label.toLowerCase()} of the message. It can name the device.`}
          >
            <TextInput {...register('topic')} placeholder={example.topic} className="font-mono text-sm" />
          </Field>
        )}
        {type === HTTP && (
          <Field label="Sent with ?device=" optional help="The device for messages that do not name one.">
            <TextInput {...register('device')} placeholder="boiler-7" className="font-mono text-sm" />
          </Field>
        )}
        <HeldContent isHeld={isHeld}>
          {message.trim() === '' ? (
            <p className="border-t border-hairline pt-3 text-muted">
              The format, the samples and the rejections appear here as you type.
            </p>
          ) : isWithoutExpression(typed.mapping) ? (
            <p className="border-t border-hairline pt-3 text-muted">
              Enter an expression to see the samples of this message.
            </p>
          ) : preview.error !== null ? (
            <p role="alert" className="border-t border-hairline pt-3 text-bad-text">
              {describeError(preview.error).detail}
            </p>
          ) : (
            <PreviewResult
              preview={preview.data}
              isStale={preview.isPlaceholderData}
              onUseExpression={onUseExpression}
              adviceOf={(shown) =>
                noDeviceAdvice({
                  type,
                  topicField,
                  filter: topicIn(config, topicField),
                  message: body.message,
                  preview: shown,
                  expression: used,
                })
              }
            >
              {preview.data !== undefined && (
                <PreviewFields
                  form={form}
                  message={body.message}
                  preview={preview.data}
                  expression={used}
                  onListOpenChange={onListOpenChange}
                />
              )}
            </PreviewResult>
          )}
        </HeldContent>
      </div>
    </Panel>
  );
};

const SHOWN_NOTES = 3;
const SHOWN_LEFT_OUT = 20;

/** Says which metrics are text in a message and numbers on other devices. */
const TextNotes = ({ samples }: { samples: ReturnType<typeof samplesOf> }) => {
  const texts = samples.filter(({ value }) => typeof value === 'string');
  const metrics = [...new Set(texts.map(({ metric }) => metric))];
  const numbers = useNumericDeviceCounts({
    metrics,
    devices: [...new Set(texts.map(({ device }) => device))],
  });
  const found = metrics.filter((metric) => (numbers[metric] ?? 0) > 0);
  return found.slice(0, SHOWN_NOTES).map((metric) => (
    <p key={metric} className="break-words text-attention-text">
      {metric} is text here, and a number on {plural(numbers[metric] ?? 0, 'other device')}. Penstock stores
      the text, or rejects it if it already stores numbers for this device. To store a number, use $number in
      an expression.
    </p>
  ));
};

/** A message with many timestamps from a wrong clock has a rejection for each of them. */
const SHOWN_PER_REASON = 3;

const TO_MILLIS = '$toMillis("28-Nov-2026 17:55", "[D]-[MNn,3-3]-[Y] [H]:[m]")';

/** The first rejections of each reason. `noDevice`: the detail of messages that name no device. */
const PreviewRejections = ({
  rejections,
  format,
  noDevice,
  onUseExpression,
}: Pick<Preview, 'rejections' | 'format'> & Pick<Props, 'onUseExpression'> & { noDevice: string }) => {
  const shown = [...Map.groupBy(rejections, ({ reason }) => reason).values()].flatMap((alike) =>
    alike.slice(0, SHOWN_PER_REASON),
  );
  const more = rejections.length - shown.length;
  return (
    <div>
      <h3 className="mb-1 font-medium">Would be rejected</h3>
      <ul
        aria-label="Would be rejected"
        className="divide-y divide-hairline rounded-md border border-hairline"
      >
        {shown.map(({ reason, detail, expression }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- the list is replaced whole
          <li key={index} className="px-3 py-2">
            <span className="font-medium text-bad-text">{reasonInWords(reason)}</span>
            <span className="block break-words text-muted">
              {reason === 'device-missing' ? noDevice : detail}
              {reason === 'invalid-ts' && format === 'expression' && (
                <>
                  {' '}
                  In the expression, $toMillis reads any notation as UTC, for example{' '}
                  <code className="font-mono wrap-anywhere">{TO_MILLIS}</code>.
                </>
              )}
            </span>
            {expression !== null && (
              <code className="mt-1 block font-mono text-sm wrap-anywhere">{expression}</code>
            )}
            {expression !== null && (
              <Button className="mt-1.5" onClick={() => onUseExpression(expression)}>
                Use this expression
              </Button>
            )}
          </li>
        ))}
        {more > 0 && <li className="px-3 py-2 text-sm text-muted">and {formatCount(more)} more</li>}
      </ul>
    </div>
  );
};

/** The preview of a message: its format, its samples and its rejections. */
const PreviewResult = ({
  preview,
  isStale,
  onUseExpression,
  adviceOf,
  children,
}: {
  preview: Preview | undefined;
  isStale: boolean;
  onUseExpression: Props['onUseExpression'];
  /** Says what names the device of the message. */
  adviceOf: (preview: Preview) => string;
  /** The fields of the message. */
  children: ReactNode;
}) => {
  const staleClass = useStaleClass(isStale);
  if (preview === undefined) return <Skeleton className="my-4 w-1/2" />;
  const unnamed = preview.unnamed.map((sample) => ({ ...sample, device: '(no device)' }));
  const samples = [...samplesOf(preview.samples), ...samplesOf(unnamed)];
  const { format, rejections, skipped, timeZone, noValues, leftOut } = preview;
  const devices = new Set(preview.samples.map(({ device }) => device)).size;
  return (
    <div className={cx('flex flex-col gap-3 border-t border-hairline pt-3', staleClass)}>
      <output className="flex flex-wrap items-baseline gap-x-2">
        <Dot
          tone={skipped ? 'idle' : format === null ? 'bad' : rejections.length > 0 ? 'attention' : 'good'}
        />
        <span className="font-medium">
          {skipped && format === 'expression' && leftOut.length === 0
            ? 'Skipped by the expression'
            : format === null
              ? 'Unknown format'
              : describeFormat(format)}
        </span>
        {skipped && (
          <span className="text-muted">
            {leftOut.length > 0
              ? 'All metrics are left out. '
              : format !== 'expression' && 'This message has no samples. '}
            Nothing is stored or rejected
          </span>
        )}
        <span className="text-muted">
          {samples.length > 0 &&
            `${plural(samples.length, 'sample')} ${devices === 0 ? 'without a device' : `from ${plural(devices, 'device')}`}`}
          {samples.length > 0 && rejections.length > 0 && ', '}
          {rejections.length > 0 && plural(rejections.length, 'rejection')}
        </span>
      </output>
      {samples.length > 0 && <SampleTable samples={samples} />}
      {children}
      <TextNotes samples={samples} />
      {noValues > 0 && (
        <p className="text-muted">
          {plural(noValues, 'series', 'series')} without a value (such as NaN or “unavailable”): not stored
          and not rejected.
        </p>
      )}
      {leftOut.length > 0 && (
        <p className="break-words text-muted">
          Left out: {leftOut.slice(0, SHOWN_LEFT_OUT).join(', ')}
          {leftOut.length > SHOWN_LEFT_OUT && ` and ${leftOut.length - SHOWN_LEFT_OUT} more`}
        </p>
      )}
      {timeZone !== null && (
        <p className="text-muted">Timestamps without a time zone are read as {timeZone}.</p>
      )}
      {rejections.length > 0 && (
        <PreviewRejections
          rejections={rejections}
          format={format}
          noDevice={adviceOf(preview)}
          onUseExpression={onUseExpression}
        />
      )}
    </div>
  );
};

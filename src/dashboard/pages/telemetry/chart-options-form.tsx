import { X } from 'lucide-react';
import { useRef, useState } from 'react';
import { counterViews, type CounterView } from '../../charts/series/counter.ts';
import { formatValue } from '../../ui/format/format-value.ts';
import { useKeptFocus } from '../../ui/browser/kept-focus.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { NumberInput, TextInput } from '../../ui/controls/text-input.tsx';
import { drawnLines, MAX_LINE_LABEL, MAX_LINES, type ReferenceLine } from './chart-options.ts';
import { CompareSelect, useIsComparisonInBar } from './compare-select.tsx';
import { countsDevices, type DeviceDisplay } from './device-display.ts';
import { DeviceDisplayFields } from './device-display-fields.tsx';
import type { KnownMetric } from './known-metrics.ts';
import type { TelemetryView } from './telemetry-view.ts';
import { counterViewsOf, usualView, type ShownAs } from '../../resources/telemetry/counters.ts';

type Options = Pick<TelemetryView, 'compare' | 'shownAs' | 'lines' | 'display'>;

type Props = {
  options: Options;
  /** The chosen devices, and what is shown of them. */
  devices: { count: number; display: DeviceDisplay };
  /** The shown metrics that are numbers. */
  numbers: readonly KnownMetric[];
  onChange: (options: Partial<Options>) => void;
};

const counterLabels: Record<CounterView, string> = {
  increase: 'Increase',
  'rate-s': 'Rate per second',
  'rate-min': 'Rate per minute',
  'rate-h': 'Rate per hour',
};
const counterOptions: { value: ShownAs; label: string }[] = [
  { value: 'value', label: 'Value' },
  ...counterViews.map((value) => ({ value, label: counterLabels[value] })),
];

/** How devices are drawn, counters and reference lines, and the comparison where the toolbar has no room for it. */
export const ChartOptionsForm = ({ options, devices, numbers, onChange }: Props) => {
  const { compare, shownAs } = options;
  const isComparisonInBar = useIsComparisonInBar();
  const showAs = (metric: KnownMetric, view: ShownAs) => {
    const others = [...shownAs].filter(([each]) => each !== metric.metric);
    const isUsual = view === usualView(metric);
    onChange({ shownAs: new Map(isUsual ? others : [...others, [metric.metric, view] as const]) });
  };
  return (
    <div className="flex flex-col gap-4">
      {(devices.count > 1 || options.display !== null) && (
        <DeviceDisplayFields
          display={devices.display}
          deviceCount={devices.count}
          onChange={(display) => onChange({ display })}
        />
      )}
      {!isComparisonInBar && (
        <Field label="Compare with">
          <CompareSelect compare={compare} none="Nothing" onChange={(next) => onChange({ compare: next })} />
        </Field>
      )}
      {numbers.length > 0 && (
        <fieldset className="flex min-w-0 flex-col gap-2">
          <legend className="mb-1.5 font-medium">Show metrics as</legend>
          {numbers.map((metric) => (
            <div key={metric.metric} className="flex flex-wrap items-center gap-x-3 gap-y-1">
              {/* A longer name has a line of its own. */}
              <span className="max-w-full wrap-anywhere">{metric.label}</span>
              <div className="ml-auto w-36">
                <Select
                  aria-label={`Show ${metric.label} as`}
                  options={counterOptions}
                  value={shownAs.get(metric.metric) ?? usualView(metric)}
                  onChange={(view) => showAs(metric, view)}
                />
              </div>
            </div>
          ))}
        </fieldset>
      )}
      <ReferenceLines
        options={options}
        display={devices.display}
        numbers={numbers}
        onChange={(next) => onChange({ lines: next })}
      />
    </div>
  );
};

type LinesProps = {
  options: Options;
  display: DeviceDisplay;
  numbers: readonly KnownMetric[];
  onChange: (lines: readonly ReferenceLine[]) => void;
};

const ReferenceLines = ({ options: { lines, shownAs }, display, numbers, onChange }: LinesProps) => {
  const group = useRef<HTMLFieldSetElement>(null);
  useKeptFocus(group, String(lines.length));
  const metricOf = (name: string) => numbers.find(({ metric }) => metric === name);
  return (
    <fieldset ref={group} className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1.5 font-medium">Reference lines</legend>
      {lines.length > 0 && (
        <ul>
          {lines.map((line, index) => {
            const { metric, value, label } = line;
            const text = `${metricOf(metric)?.label ?? metric}: ${formatValue(value, { unit: metricOf(metric)?.unit ?? null })}`;
            return (
              // oxlint-disable-next-line react/no-array-index-key -- two lines may be equal
              <li key={index} className="flex items-center gap-2">
                <span className="tabular min-w-0 flex-1 truncate">
                  {text}
                  {label !== '' && <span className="text-muted"> {label}</span>}
                </span>
                <IconButton
                  label={`Remove line ${text}`}
                  icon={<X />}
                  onClick={() => onChange(lines.filter((each) => each !== line))}
                />
              </li>
            );
          })}
        </ul>
      )}
      {drawnLines(lines, counterViewsOf(numbers, shownAs), display).length < lines.length && (
        <p className="text-sm text-muted">
          {countsDevices(display)
            ? 'Reference lines are not drawn while devices are counted.'
            : 'Lines of metrics that are shown as an increase or a rate are not drawn.'}
        </p>
      )}
      {numbers.length === 0 ? (
        <p className="text-sm text-muted">Choose a metric with numbers first.</p>
      ) : lines.length >= MAX_LINES ? (
        <p className="text-sm text-muted">At most {MAX_LINES} lines.</p>
      ) : (
        <NewLine numbers={numbers} onAdd={(line) => onChange([...lines, line])} />
      )}
    </fieldset>
  );
};

type NewLineProps = { numbers: readonly KnownMetric[]; onAdd: (line: ReferenceLine) => void };

const NewLine = ({ numbers, onAdd }: NewLineProps) => {
  const [chosen, setChosen] = useState<string | null>(null);
  const [value, setValue] = useState('');
  const [label, setLabel] = useState('');
  const [error, setError] = useState<string>();
  const metric = numbers.find((each) => each.metric === chosen) ?? numbers[0];

  const add = () => {
    const text = value.trim().replace(',', '.');
    const number = Number(text);
    if (text === '' || !Number.isFinite(number)) {
      setError('Enter a number.');
      return;
    }
    if (metric !== undefined) onAdd({ metric: metric.metric, value: number, label: label.trim() });
    setValue('');
    setLabel('');
  };

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
      className="flex flex-col gap-2"
    >
      {numbers.length > 1 && (
        <Field label="Metric">
          <Select
            options={numbers.map((each) => ({ value: each.metric, label: each.label }))}
            value={metric?.metric ?? null}
            onChange={setChosen}
          />
        </Field>
      )}
      <Field label="Value" error={error}>
        <NumberInput
          value={value}
          suffix={metric?.unit ?? ''}
          onChange={(event) => {
            setValue(event.target.value);
            setError(undefined);
          }}
        />
      </Field>
      <Field label="Label" optional>
        <TextInput
          value={label}
          maxLength={MAX_LINE_LABEL}
          onChange={(event) => setLabel(event.target.value)}
        />
      </Field>
      <Button type="submit">Add line</Button>
    </form>
  );
};

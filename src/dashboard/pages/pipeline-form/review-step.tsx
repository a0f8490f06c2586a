import { useWatch } from 'react-hook-form';
import type { Pipeline, PipelineType } from '#contract/pipelines.ts';
import type { SchemaField } from '../../kit/schema-form/schema-field.ts';
import { SettingValue, CodeValue } from '../../kit/schema-form/setting-value.tsx';
import { intervalFacts } from '../../resources/pipelines/interval-setting.ts';
import { Button } from '../../ui/controls/button.tsx';
import { linkClass } from '../../ui/controls/link.tsx';
import { KeyValueList } from '../../ui/layout/key-value-list.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { inputSteps, isReadingField, stepNames, type FormProblem, type FormStep } from './form-steps.ts';
import { NoDeviceNotice } from './no-device-notice.tsx';
import { mappingLabel } from '../../resources/pipelines/mappings.ts';
import { configIn, secondsOf, type PipelineFormState } from './pipeline-form-values.ts';

type Props = {
  form: PipelineFormState;
  types: readonly PipelineType[];
  /** Undefined for a new pipeline. */
  pipeline: Pipeline | undefined;
  fields: readonly SchemaField[];
  problems: readonly FormProblem[];
  onGo: (step: FormStep) => void;
  onGoTo: (pointer: string) => void;
};

/** Everything that will be saved, by step. */
export const ReviewStep = ({ form, types, pipeline, fields, problems, onGo, onGoTo }: Props) => {
  // The form object is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
  const values = useWatch({ control: form.control, compute: (now) => now });
  const type = types.find((each) => each.type === values.type);
  const config = configIn(values, types) ?? {};
  const settings = (chosen: readonly SchemaField[]) =>
    chosen.map((field) => ({
      name: field.label,
      value: <SettingValue field={field} value={config[field.name]} />,
    }));
  const seconds = secondsOf(values);
  const interval = intervalFacts(seconds, type?.kind, values.destination).map(({ name, value }) => ({
    name,
    value: Number.isFinite(seconds) ? value : <Unset />,
  }));
  const parts = {
    source: [
      { name: 'Name', value: values.name || <Unset /> },
      { name: 'Type', value: type?.label ?? (values.type || <Unset />) },
      ...(type?.kind === 'pushed' ? [] : interval),
      ...settings(fields.filter((field) => !isReadingField(field))),
    ],
    format: [
      { name: 'Mapping', value: mappingLabel(values.mapping) },
      ...(values.mapping === 'expression'
        ? [{ name: 'Expression', value: <CodeValue value={values.expression} /> }]
        : []),
      ...settings(fields.filter(isReadingField)),
    ],
    destination: [
      { name: 'Destination', value: values.destination || <Unset /> },
      ...(type?.kind === 'pushed' ? interval : []),
    ],
  };
  return (
    <div className="flex flex-col gap-4">
      {problems.length > 0 && <ProblemList problems={problems} onGoTo={onGoTo} />}
      <NoDeviceNotice {...{ values, types, pipeline, fields, onGo, onGoTo }} />
      <div className="grid grid-cols-1 items-start gap-4 md:grid-cols-2 xl:grid-cols-3">
        {inputSteps.map((step) => (
          <Panel
            key={step}
            title={stepNames[step]}
            aside={
              <Button
                variant="quiet"
                aria-label={`Edit ${stepNames[step].toLowerCase()}`}
                onClick={() => onGo(step)}
              >
                Edit
              </Button>
            }
          >
            <KeyValueList items={parts[step]} />
          </Panel>
        ))}
      </div>
    </div>
  );
};

const Unset = () => <span className="text-faint">–</span>;

type ProblemListProps = Pick<Props, 'problems' | 'onGoTo'>;

/** The problems of all steps, each with a link to its field. */
const ProblemList = ({ problems, onGoTo }: ProblemListProps) => (
  <div
    role="alert"
    tabIndex={-1}
    data-problems
    className="rounded-md border border-bad bg-bad-soft px-3 py-2.5 outline-none"
  >
    <p className="font-medium text-bad-text">Fix these fields first</p>
    <ul className="mt-1 flex flex-col gap-1">
      {problems.map(({ pointer, step, label, detail }) => (
        <li key={pointer}>
          <span className="text-muted">{stepNames[step]}: </span>
          <button type="button" onClick={() => onGoTo(pointer)} className={linkClass}>
            {label}
          </button>
          . {detail}
        </li>
      ))}
    </ul>
  </div>
);

import { Select } from '../../ui/controls/select.tsx';
import { intervalUnits } from '../../resources/pipelines/interval-in-words.ts';
import type { PipelineFormValues } from './pipeline-form-values.ts';

type Props = { value: PipelineFormValues['unit']; onChange: (unit: PipelineFormValues['unit']) => void };

/** Beside the number, in the same field: named apart, so that the field's label stays the number's. */
export const IntervalUnitSelect = ({ value, onChange }: Props) => (
  <div className="w-36">
    <Select aria-label="Unit of the interval" options={intervalUnits} value={value} onChange={onChange} />
  </div>
);

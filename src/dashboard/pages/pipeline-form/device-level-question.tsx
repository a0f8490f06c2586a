import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import { cx } from '../../ui/browser/cx.ts';
import { Segmented } from '../../ui/controls/segmented.tsx';
import type { PipelineFormState } from './pipeline-form-values.ts';
import { filterOfDevices, levelsOf, nameOfTopic } from './topic-levels.ts';

type Props = {
  form: PipelineFormState;
  /** The topic of a message of one device. */
  topic: string;
};

/** The choice of a topic that does not name the device. */
const NONE = 'none';

/** Asks which level of a topic is the device. The choice changes the topic filter, and the name that was made from it. */
export const DeviceLevelQuestion = ({ form, topic }: Props) => {
  // The form object is mutable with a stable identity, which the compiler cannot know.
  'use no memo';
  const [isNone, setIsNone] = useState(false);
  const chosen = String(useWatch({ control: form.control, name: 'config.topic' }) ?? '');
  const levels = levelsOf(topic);
  const level = levels.find(({ index }) => filterOfDevices(topic, index) === chosen);
  const isNoneChosen = isNone && chosen === topic;
  const isAnswered = level !== undefined || isNoneChosen;
  const choose = (choice: string) => {
    const filter = filterOfDevices(topic, choice === NONE ? null : Number(choice));
    setIsNone(choice === NONE);
    if (form.getValues('name') === nameOfTopic(chosen))
      form.setValue('name', nameOfTopic(filter), { shouldDirty: true });
    form.setValue('config.topic', filter, { shouldDirty: true, shouldValidate: true });
  };
  return (
    <section
      aria-label="Which topic level names the device?"
      className={cx('rounded-md px-3 py-2.5', isAnswered ? 'bg-idle-soft' : 'bg-attention-soft')}
    >
      <h3 className="mb-2 font-medium">Which topic level names the device?</h3>
      <Segmented
        label="Level of the device"
        options={[
          ...levels.map((each) => ({ value: String(each.index), label: each.level })),
          { value: NONE, label: 'None' },
        ]}
        value={level === undefined ? (isNoneChosen ? NONE : null) : String(level.index)}
        onChange={choose}
      />
      <p className="mt-2 text-sm break-words text-muted">
        {level !== undefined
          ? `The topic has + for ${level.level}, so the pipeline receives the messages of all devices.`
          : isNoneChosen
            ? 'Messages must name their device. Check this in Preview.'
            : 'The level becomes + in the topic, so the pipeline receives the messages of all devices.'}
      </p>
    </section>
  );
};

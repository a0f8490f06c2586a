import { useQuery } from '@tanstack/react-query';
import type { ReplayRequest } from '#contract/rejections.ts';
import { Field } from '../../ui/controls/field.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { plural } from '../../ui/format/format-number.ts';
import { rejectionQueries } from './rejection-queries.ts';
import { reasonInWords } from './rejection-reason.ts';
import { choicesOf, nameOfChoice, type ChoiceName, type ReplayTarget } from './replay-choice.ts';

type Props = {
  pipelineId: string;
  target: ReplayTarget;
  onChoose: (choice: ReplayRequest, name: ChoiceName) => void;
};

/** Offers the messages that were rejected like the one that the replay was opened from; nothing if there are none. */
export const ReplayChoiceField = ({ pipelineId, target: { choice, origin }, onChoose }: Props) => {
  const isOff = origin === undefined;
  const { data: reasons } = useQuery({ ...rejectionQueries.groups(pipelineId), enabled: !isOff });
  const { data: devices } = useQuery({
    ...rejectionQueries.groups(pipelineId, 'device'),
    enabled: !isOff,
  });
  if (isOff || reasons === undefined || devices === undefined) return null;
  const alike = reasons.find(({ reason }) => reason === origin.reason)?.messages ?? 0;
  const ofDevice =
    devices.find(({ reason, device }) => reason === origin.reason && device === origin.device)?.messages ?? 0;
  const choices = choicesOf(origin);
  const chosen = nameOfChoice(choice);
  const rejectedAs = `rejected as “${reasonInWords(origin.reason)}”`;
  const labels: Record<ChoiceName, string> = {
    message: 'This message',
    device: `${plural(ofDevice, 'message')} from ${origin.device ?? ''} ${rejectedAs}`,
    reason: `${plural(alike, 'message')} ${rejectedAs}`,
  };
  const counts: Record<ChoiceName, number> = {
    message: Infinity,
    // Not offered twice.
    device: ofDevice === alike ? 0 : ofDevice,
    reason: alike,
  };
  const options = (['message', 'device', 'reason'] as const)
    .filter((name) => choices[name] !== undefined && (counts[name] > 1 || name === chosen))
    .map((value) => ({ value, label: labels[value] }));
  if (options.length < 2) return null;
  return (
    <Field label="Messages to replay">
      <Select options={options} value={chosen} onChange={(name) => onChoose(choices[name] ?? choice, name)} />
    </Field>
  );
};

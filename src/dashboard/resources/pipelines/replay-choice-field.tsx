import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { ReplayRequest } from '#contract/rejections.ts';
import { Field } from '../../ui/controls/field.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { useThrottled } from '../../ui/browser/throttled.ts';
import { plural } from '../../ui/format/format-number.ts';
import { pipelineQueries } from './pipeline-queries.ts';
import { rejectionQueries } from './rejection-queries.ts';
import { reasonInWords } from '#contract/rejection-reason.ts';
import { choicesOf, nameOfChoice, type ChoiceName, type ReplayTarget } from './replay-choice.ts';

const LABEL = 'Messages to replay';

/** Has the height of the field. `others`: which further messages there are, in words. */
const OnlyChoice = ({ children, others }: { children: string; others: string }) => (
  <div className="flex flex-col gap-1.5">
    <span className="font-medium">{LABEL}</span>
    <span className="flex h-(--control-height) items-center text-muted">{children}</span>
    <span className="text-sm text-muted">{others}</span>
  </div>
);

type Props = {
  pipelineId: string;
  target: ReplayTarget;
  onChoose: (choice: ReplayRequest, name: ChoiceName) => void;
};

/** Offers the messages that were rejected like the one that the replay was opened from. As high before they are counted. */
export const ReplayChoiceField = ({ pipelineId, target: { choice, origin }, onChoose }: Props) => {
  const isOff = origin === undefined;
  const reasons = useQuery({ ...rejectionQueries.groups(pipelineId), enabled: !isOff });
  const devices = useQuery({
    ...rejectionQueries.groups(pipelineId, 'device'),
    enabled: !isOff,
  });
  const { data: pipeline } = useQuery({ ...pipelineQueries.detail(pipelineId), enabled: !isOff });
  const rejected = useThrottled(pipeline?.ledger.rejected ?? -1);
  const counted = useRef(-1);
  const client = useQueryClient();
  useEffect(() => {
    // The first count is as new as the groups.
    if (counted.current !== -1 && counted.current !== rejected)
      void client.invalidateQueries({ queryKey: [...rejectionQueries.all(pipelineId), 'groups'] });
    counted.current = rejected;
  }, [client, pipelineId, rejected]);
  if (isOff) return null;
  const chosen = nameOfChoice(choice);
  const ofOthers = (text: string) =>
    chosen === 'message' ? text : 'Includes messages that are rejected before the replay starts.';
  if (reasons.data === undefined || devices.data === undefined)
    return reasons.isError || devices.isError ? null : <OnlyChoice others={ofOthers('…')}>…</OnlyChoice>;
  const alike = reasons.data.find(({ reason }) => reason === origin.reason)?.messages ?? 0;
  const ofDevice =
    devices.data.find(({ reason, device }) => reason === origin.reason && device === origin.device)
      ?.messages ?? 0;
  const choices = choicesOf(origin);
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
  const others = ofOthers(
    alike > 1
      ? `Also ${plural(alike - 1, 'other')} with this reason.`
      : 'No other stored message has this reason.',
  );
  if (options.length < 2) return <OnlyChoice others={others}>{labels[chosen]}</OnlyChoice>;
  return (
    <Field label={LABEL} help={others}>
      <Select options={options} value={chosen} onChange={(name) => onChoose(choices[name] ?? choice, name)} />
    </Field>
  );
};

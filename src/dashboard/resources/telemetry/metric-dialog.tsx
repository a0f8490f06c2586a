import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { metricsApi, type MetricChange } from '#contract/metrics.ts';
import { hasCode } from '../../api/api-error.ts';
import { callWithEtag } from '../../api/client.ts';
import { describeFailedChange } from '../../api/describe-failed-change.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { useConfirm } from '../../kit/confirm/use-confirm.tsx';
import { Failure } from '../../kit/failure.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import type { DialogState } from '../../ui/overlays/dialog.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { metricDeletionOf } from './metric-deletion.ts';
import { MetricFields } from './metric-fields.tsx';
import {
  changeOf,
  EMPTY_FORM,
  formOf,
  inheritedAt,
  isSet,
  NOTHING_SET,
  type EditedMetric,
  type FormProblems,
  type Level,
  type MetricForm,
  type StoredSettings,
} from './metric-form.ts';
import { telemetryQueries, type DeviceMetric } from './telemetry-queries.ts';

type Props = { subject: DeviceMetric; state: DialogState };

/**
 * Sets the label, unit, decimals and type of a metric, for all devices of a type or for one device. Deletes the samples of
 * the device.
 */
export const MetricDialog = ({ subject, state }: Props) => {
  const first = useRef<HTMLInputElement>(null);
  const query = useQuery(telemetryQueries.metric(subject));
  // What was read first: later revisions may contain changes by others.
  const [base, setBase] = useState<EditedMetric>();
  if (base === undefined && query.data !== undefined && !query.isFetching) setBase(query.data);
  const [chosen, setChosen] = useState<Level>();
  const [typed, setTyped] = useState<Partial<Record<Level, MetricForm>>>({});
  const [problems, setProblems] = useState<FormProblems>({});
  const saving = useSaveMetric(subject);
  const { confirm, dialog } = useConfirm();
  const isEdited = Object.keys(typed).length > 0;

  const usual: Level =
    base === undefined || base.type === null || isSet(base.device.settings) ? 'device' : 'type';
  const level = chosen ?? usual;
  const levels: readonly Level[] = base?.type == null ? ['device'] : ['type', 'device'];
  const settingsAt = (at: Level) => base?.[at]?.settings ?? null;
  const formAt = (at: Level): MetricForm => typed[at] ?? formOf(settingsAt(at) ?? NOTHING_SET);

  const save = async (isForced: boolean) => {
    if (base === undefined) return;
    const changes = levels.map((at) => ({ at, ...changeOf(formAt(at), settingsAt(at) ?? NOTHING_SET) }));
    const wrong = changes.find((each) => 'problems' in each);
    if (wrong !== undefined && 'problems' in wrong) {
      setChosen(wrong.at);
      setProblems(wrong.problems);
      // The field is marked after the next render.
      requestAnimationFrame(() =>
        first.current?.form?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus(),
      );
      return;
    }
    for (const each of changes) {
      if (!('change' in each) || Object.keys(each.change).length === 0) continue;
      const saved = await saving.mutateAsync({
        change: each.change,
        deviceType: each.at === 'type' ? base.details.deviceType : null,
        ifMatch: isForced ? null : base[each.at]?.etag,
      });
      // If the next level fails, a retry does not repeat this one.
      setBase((before) => before && { ...before, [each.at]: saved });
    }
    state.onClose();
  };
  // The error is shown from the mutation.
  const submit = (isForced = false) => void save(isForced).catch(() => undefined);

  return (
    <FormDialog
      // Esc or a click beside the dialog must not drop what was typed.
      state={{ ...state, canDismiss: !isEdited }}
      title={`Metric ${subject.metric}`}
      description="How the dashboard shows this metric. Settings do not change stored samples or exports."
      submit={{ label: 'Save', isBusy: saving.isPending }}
      initialFocus={first}
      onSubmit={() => submit()}
    >
      {base === undefined ? (
        query.error === null ? (
          <Skeleton className="h-70" />
        ) : (
          <Failure error={query.error} onRetry={() => void query.refetch()} />
        )
      ) : (
        <>
          {saving.error !== null &&
            (hasCode(saving.error, 'precondition-failed') ? (
              <FormNotice tone="attention" action={<Button onClick={() => submit(true)}>Save anyway</Button>}>
                This metric was updated elsewhere while you edited it.
              </FormNotice>
            ) : (
              <FormNotice tone="bad">{describeFailedChange(saving.error)}</FormNotice>
            ))}
          {base.type === null ? (
            <p className="text-muted">
              Applies to this device only. To set a metric for many devices at once, give them a type.
            </p>
          ) : (
            <div className="flex flex-col items-start gap-1.5">
              <span className="font-medium">Applies to</span>
              <Segmented
                label="Applies to"
                options={[
                  { value: 'type', label: 'All of this type' },
                  { value: 'device', label: 'Only this device' },
                ]}
                value={level}
                onChange={(next) => {
                  setChosen(next);
                  setProblems({});
                }}
              />
              {level === 'type' && (
                <p className="text-sm wrap-anywhere text-muted">Devices of type {base.details.deviceType}</p>
              )}
            </div>
          )}
          <MetricFields
            metric={subject.metric}
            firstField={first}
            form={formAt(level)}
            problems={problems}
            inherited={inheritedAt(level, base)}
            isNumber={base.details.kind === 'number'}
            onChange={(form) => {
              setTyped({ ...typed, [level]: form });
              setProblems({});
            }}
          />
          {isSet(settingsAt(level) ?? NOTHING_SET) && (
            <Button
              className="self-start"
              onClick={() => {
                setTyped({ ...typed, [level]: EMPTY_FORM });
                setProblems({});
              }}
            >
              {level === 'device' && isSet(settingsAt('type') ?? NOTHING_SET)
                ? 'Use the settings of the type'
                : 'Reset to automatic'}
            </Button>
          )}
          <div className="flex flex-col items-start gap-2 border-t border-hairline pt-4">
            <p className="text-sm text-muted">
              {isEdited
                ? 'Save or cancel your changes before you delete samples.'
                : 'If this device sent wrong samples, such as text instead of numbers, delete them.'}
            </p>
            <Button disabled={isEdited} onClick={() => confirm(metricDeletionOf(subject, state.onClose))}>
              Delete samples…
            </Button>
          </div>
          {dialog}
        </>
      )}
    </FormDialog>
  );
};

type Save = { change: MetricChange; deviceType: string | null; ifMatch: string | null | undefined };

/** `deviceType` null: changes the device only. */
const useSaveMetric = ({ deviceId, metric }: DeviceMetric) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ change, deviceType, ifMatch }: Save): Promise<StoredSettings> => {
      if (deviceType !== null) {
        const params = { deviceType, metric };
        const { body, etag } = await callWithEtag(metricsApi.changeOfType, { params, body: change, ifMatch });
        return { settings: body, etag };
      }
      const params = { id: deviceId, metric };
      const { body, etag } = await callWithEtag(metricsApi.change, { params, body: change, ifMatch });
      return { settings: body.deviceSettings, etag };
    },
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.telemetry }),
  });
};

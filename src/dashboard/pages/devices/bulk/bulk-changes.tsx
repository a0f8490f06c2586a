import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, type ComponentType } from 'react';
import type { Device } from '#contract/devices.ts';
import { useConfirm } from '../../../kit/confirm/use-confirm.tsx';
import { useDialog } from '../../../kit/confirm/use-dialog.ts';
import { deviceDeletion, deviceRestoration } from '../../../resources/devices/device-queries.ts';
import { plural } from '../../../ui/format/format-number.ts';
import { useKeptFocus } from '../../../ui/browser/kept-focus.ts';
import type { ListSelection } from '../../../ui/table/use-selection.ts';
import type { BulkTarget, Filter } from '../../../resources/devices/bulk/bulk-change.ts';
import {
  AddTagsDialog,
  ChangeIntervalDialog,
  ChangeTypeDialog,
  RemoveTagDialog,
} from './bulk-form-dialogs.tsx';
import { LostTelemetry } from './lost-telemetry.tsx';
import { BulkRunStatus } from '../../../resources/devices/bulk/bulk-run-status.tsx';
import {
  isRunning,
  startBulkRun,
  useBulkRun,
  type BulkJob,
} from '../../../resources/devices/bulk/bulk-run.ts';
import { SelectionBar, type BulkAction } from './selection-bar.tsx';
import { useSelectAll } from './use-select-all.ts';

type Props = {
  selection: ListSelection;
  /** On a phone, the bar shows while nothing is selected yet. */
  isSelecting: boolean;
  filter: Filter;
  rows: readonly Device[];
  total: number | undefined;
  onClose: () => void;
};

const forms: Record<Exclude<BulkAction, 'delete'>, ComponentType<Parameters<typeof AddTagsDialog>[0]>> = {
  'add-tags': AddTagsDialog,
  'remove-tag': RemoveTagDialog,
  type: ChangeTypeDialog,
  interval: ChangeIntervalDialog,
};

const targetOf = ({ isAllExcept, ids }: ListSelection['selected'], filter: Filter): BulkTarget =>
  isAllExcept ? { filter, except: [...ids] } : { ids: [...ids] };

/** Removes devices that are deleted from their menu from the selection. Undo excludes an exception again. */
const useFollowDeletions = ({ selected, set }: ListSelection) => {
  const client = useQueryClient();
  const deletedExceptions = useRef(new Set<string>());
  const onDeleted = useEffectEvent((id: string) => {
    if (!selected.ids.has(id)) return;
    if (selected.isAllExcept) deletedExceptions.current.add(id);
    // Removes the ID: the total no longer contains the device, so an exception would be subtracted twice.
    set([id], selected.isAllExcept);
  });
  const onRestored = useEffectEvent((id: string) => {
    if (deletedExceptions.current.delete(id) && selected.isAllExcept) set([id], false);
  });
  useEffect(
    () =>
      client.getMutationCache().subscribe((event) => {
        if (event.type !== 'updated' || event.action.type !== 'success') return;
        const { options, state } = event.mutation;
        if (options.mutationKey === deviceDeletion) onDeleted((state.variables as Pick<Device, 'id'>).id);
        if (options.mutationKey === deviceRestoration) onRestored(state.variables as string);
      }),
    [client],
  );
};

/** Changes the selected devices, in batches. Stays at the lower edge of the window. */
export const BulkChanges = ({ selection, isSelecting, filter, rows, total, onClose }: Props) => {
  const run = useBulkRun();
  const form = useDialog<{ action: keyof typeof forms; target: BulkTarget; count: number }>();
  const { confirm, dialog } = useConfirm();
  const region = useRef<HTMLDivElement>(null);
  useFollowDeletions(selection);
  const selectingAll = useSelectAll(filter, selection);

  const start = (job: BulkJob, target: BulkTarget, count: number) => {
    startBulkRun(job, target, count);
    onClose();
  };

  const act = (action: BulkAction) => {
    const { count, selected } = selection;
    const target = targetOf(selected, filter);
    if (action !== 'delete') return form.open({ action, target, count });
    // All devices may include one that the page has not loaded, so only a chosen device is named.
    const isOne = !selected.isAllExcept && count === 1;
    const only = isOne ? rows.find(({ id }) => selected.ids.has(id)) : undefined;
    confirm({
      title: `Delete ${only?.name ?? plural(count, 'device')}?`,
      body: <LostTelemetry target={target} count={count} />,
      confirmLabel: 'Delete',
      run: () => {
        start({ change: { operation: 'delete' }, doing: 'Deleting', done: 'Deleted' }, target, count);
        return Promise.resolve();
      },
    });
  };

  const isShown = selection.count > 0 || isSelecting;
  const isBarShown = isShown && (run === null || !isRunning(run));
  useKeptFocus(
    region,
    `${isBarShown} ${selection.selected.isAllExcept} ${selectingAll.foundCount === null} ${run?.status.is}`,
  );
  const { subject } = form;
  const Form = subject === null ? null : forms[subject.action];
  return (
    <div
      ref={region}
      className="sticky bottom-0 z-10 mt-3 flex flex-col gap-2 empty:hidden max-md:bottom-[calc(4rem+env(safe-area-inset-bottom))] md:pb-3"
    >
      {run !== null && <BulkRunStatus run={run} />}
      {isBarShown && (
        <SelectionBar
          selection={selection}
          total={total}
          isFiltered={Object.keys(filter).length > 0}
          selectingAll={selectingAll}
          onAction={act}
          onClose={() => {
            selectingAll.stop();
            onClose();
          }}
        />
      )}
      {subject !== null && Form !== null && (
        <Form
          devices={plural(subject.count, 'device')}
          state={form.state}
          onStart={(job) => {
            form.state.onClose();
            start(job, subject.target, subject.count);
          }}
        />
      )}
      {dialog}
    </div>
  );
};

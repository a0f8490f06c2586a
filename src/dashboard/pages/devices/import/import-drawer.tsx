import { useRef, type RefObject } from 'react';
import { describeError } from '../../../api/api-error.ts';
import { useKeptFocus } from '../../../ui/browser/kept-focus.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Select } from '../../../ui/controls/select.tsx';
import { FormNotice } from '../../../ui/feedback/form-notice.tsx';
import { ProgressBar } from '../../../ui/feedback/progress-bar.tsx';
import { formatList } from '../../../ui/format/format-list.ts';
import { formatCount, plural } from '../../../ui/format/format-number.ts';
import { Drawer, type DialogState } from '../../../ui/overlays/dialog.tsx';
import {
  asTags,
  cellValue,
  columnsLeftOut,
  fieldLabels,
  tagTarget,
  type ColumnTarget,
  type CsvTable,
} from '../device-csv.ts';
import { ChooseFile, FileButton } from './choose-file.tsx';
import { countOf, ImportReport } from './import-report.tsx';
import { useDeviceImport, type DeviceImport } from './use-device-import.ts';

/** Imports devices from a CSV file: choose, map, check, import, report. */
export const ImportDrawer = ({ drawer }: { drawer: DialogState }) => {
  const work = useDeviceImport();
  const isRunning = work.state.step === 'running';
  const chooseButton = useRef<HTMLButtonElement>(null);
  return (
    <Drawer
      state={{ ...drawer, canDismiss: !isRunning, onClosed: work.leave }}
      title="Import devices"
      initialFocus={chooseButton}
      footer={<Footer work={work} onClose={drawer.onClose} />}
    >
      <Body work={work} chooseButton={chooseButton} />
    </Drawer>
  );
};

type BodyProps = { work: DeviceImport; chooseButton: RefObject<HTMLButtonElement | null> };

const Body = ({ work, chooseButton }: BodyProps) => {
  const { state, table } = work;
  if (state.step === 'choosing' || table === null)
    return (
      <ChooseFile
        problem={state.step === 'choosing' ? state.problem : null}
        button={chooseButton}
        onFile={work.open}
      />
    );
  if (state.step === 'mapping')
    return (
      <>
        <div className="mb-4 flex items-center justify-between gap-3">
          <span className="min-w-0 font-medium break-words">{work.fileName}</span>
          <FileButton label="Choose another file" onFile={work.open} />
        </div>
        <Mapping table={table} targets={work.targets} onChange={work.setTarget} onSetTags={work.setTags} />
      </>
    );
  const total = table.rows.length;
  const { outcomes, isDryRun } = state;
  if (state.step === 'running') return <Running isDryRun={isDryRun} done={outcomes.length} total={total} />;
  return (
    <div className="flex flex-col gap-4">
      {state.step === 'stopped' && (
        <FormNotice tone={state.error === undefined ? 'attention' : 'bad'}>
          {isDryRun ? 'The check' : 'The import'} stopped after {formatCount(outcomes.length)} of{' '}
          {plural(total, 'row')}. {!isDryRun && 'Rows imported so far are kept.'}{' '}
          {state.error !== undefined && describeError(state.error).detail}
        </FormNotice>
      )}
      <ImportReport outcomes={outcomes} isDryRun={isDryRun} table={table} />
    </div>
  );
};

type FooterProps = { work: DeviceImport; onClose: () => void };

const Footer = (props: FooterProps) => {
  const buttons = useRef<HTMLDivElement>(null);
  const { state } = props.work;
  useKeptFocus(buttons, `${state.step} ${'isDryRun' in state && state.isDryRun}`);
  return (
    <div ref={buttons} className="contents">
      <FooterButtons {...props} />
    </div>
  );
};

const FooterButtons = ({ work, onClose }: FooterProps) => {
  const { state } = work;
  const close = (
    <Button onClick={onClose}>{'isDryRun' in state && !state.isDryRun ? 'Close' : 'Cancel'}</Button>
  );
  switch (state.step) {
    case 'choosing':
      return close;
    case 'mapping':
      return (
        <>
          {close}
          <Button variant="primary" disabled={!work.targets.includes('externalId')} onClick={work.check}>
            Check
          </Button>
        </>
      );
    case 'running':
      return (
        <>
          <Button busy={state.isStopping} onClick={work.stop} className="mr-auto">
            {state.isStopping ? 'Stopping…' : state.isDryRun ? 'Stop the check' : 'Stop the import'}
          </Button>
          {/* In the place of the button that started the run, with its focus: a second click or Enter has no effect. */}
          <Button variant="primary" busy>
            {state.isDryRun ? 'Checking…' : 'Importing…'}
          </Button>
        </>
      );
    case 'stopped':
      return (
        <>
          {close}
          <Button variant="primary" onClick={work.resume}>
            Continue
          </Button>
        </>
      );
    case 'finished': {
      if (!state.isDryRun) return close;
      const toImport = countOf(state.outcomes, 'registered') + countOf(state.outcomes, 'updated');
      return (
        <>
          <Button onClick={work.map}>Back</Button>
          <Button variant="primary" disabled={toImport === 0} onClick={work.start}>
            Import {plural(toImport, 'device')}
          </Button>
        </>
      );
    }
  }
};

type MappingProps = {
  table: CsvTable;
  targets: readonly ColumnTarget[];
  onChange: (column: number, target: ColumnTarget) => void;
  onSetTags: (columns: readonly number[]) => void;
};

const IGNORED = 'none';

const columnName = (header: readonly string[], column: number): string =>
  header[column] || `Column ${column + 1}`;

const MAX_NAMES = 6;

/** Names the columns that are not imported. */
const LeftOut = ({ table, targets, onSetTags }: Omit<MappingProps, 'onChange'>) => {
  const columns = columnsLeftOut(table, targets);
  if (columns.length === 0) return null;
  const names = columns.slice(0, MAX_NAMES).map((column) => columnName(table.header, column));
  const more = columns.length - names.length;
  const canBeTags = asTags(table.header, targets, columns).some((target, i) => target !== targets[i]);
  return (
    <FormNotice
      tone="idle"
      action={canBeTags && <Button onClick={() => onSetTags(columns)}>Import as tags</Button>}
    >
      Not imported: {formatList(more > 0 ? [...names, `${formatCount(more)} more`] : names)}.
    </FormNotice>
  );
};

/** What each column is imported as, with its first value as it will be stored. */
const Mapping = ({ table, targets, onChange, onSetTags }: MappingProps) => {
  const region = useRef<HTMLDivElement>(null);
  useKeptFocus(region, targets.join(' '));
  return (
    <div ref={region} className="flex flex-col gap-4">
      <p className="text-muted">
        {plural(table.rows.length, 'row')} found. Choose a field for each column. Empty cells change nothing;
        tags replace those of an existing device.
      </p>
      {targets.includes('externalId') ? (
        <LeftOut table={table} targets={targets} onSetTags={onSetTags} />
      ) : (
        <FormNotice tone="attention">Choose the column with the external ID.</FormNotice>
      )}
      <ul className="divide-y divide-hairline border-y border-hairline">
        {table.header.map((header, column) => {
          const name = columnName(table.header, column);
          const tag = tagTarget(header);
          const options = [
            ...Object.entries(fieldLabels).map(([value, label]) => ({ value, label })),
            ...(header === '' ? [] : [{ value: tag, label: `Tag “${tag.slice('tag:'.length)}”` }]),
            { value: IGNORED, label: 'Do not import' },
          ];
          return (
            // oxlint-disable-next-line react/no-array-index-key -- two columns may have the same name
            <li key={column} className="grid grid-cols-[1fr_12rem] items-center gap-3 py-2">
              <span className="min-w-0">
                <span className="block truncate font-medium">{name}</span>
                <span className="block truncate text-sm text-muted">
                  {cellValue(table.rows[0]?.[column])}
                </span>
              </span>
              <Select
                aria-label={`Import ${name} as`}
                options={options}
                value={targets[column] ?? IGNORED}
                onChange={(value) => onChange(column, value === IGNORED ? null : (value as ColumnTarget))}
              />
            </li>
          );
        })}
      </ul>
    </div>
  );
};

const Running = ({ isDryRun, done, total }: { isDryRun: boolean; done: number; total: number }) => {
  const verb = isDryRun ? 'Checking' : 'Importing';
  return (
    <div className="flex flex-col gap-2">
      <output className="tabular">
        {verb}: {formatCount(done)} of {plural(total, 'row')}
      </output>
      <ProgressBar label={verb} share={total === 0 ? null : done / total} className="w-full" />
    </div>
  );
};

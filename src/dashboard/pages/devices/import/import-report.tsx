import { Download } from 'lucide-react';
import { saveFile } from '../../../ui/browser/save-file.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { formatCount } from '../../../ui/format/format-number.ts';
import { writeCsv } from '../../../ui/format/write-csv.ts';
import { rejectionColumns, type CsvTable } from '../device-csv.ts';
import type { RowOutcome } from './use-device-import.ts';

const SHOWN_PROBLEMS = 50;

export const countOf = (rows: readonly RowOutcome[], outcome: RowOutcome['outcome']): number =>
  rows.filter((row) => row.outcome === outcome).length;

type ReportProps = { outcomes: readonly RowOutcome[]; isDryRun: boolean; table: CsvTable };

/** How many rows are new, changed, unchanged and rejected, and why. */
export const ImportReport = ({ outcomes, isDryRun, table }: ReportProps) => {
  const failed = outcomes.filter(({ outcome }) => outcome === 'rejected');
  const download = () => {
    // In front of the cells, of which a row may have more or fewer than the header.
    const rows = failed.map(({ row, problem }) => [table.lines[row], problem, ...(table.rows[row] ?? [])]);
    saveFile(
      'rejected-devices.csv',
      new Blob([writeCsv([...rejectionColumns, ...table.header], rows)], { type: 'text/csv' }),
    );
  };
  return (
    <>
      <output>
        <dl className="tabular grid grid-cols-2 gap-3 md:grid-cols-4">
          <Count name={isDryRun ? 'To register' : 'Registered'} count={countOf(outcomes, 'registered')} />
          <Count name={isDryRun ? 'To update' : 'Updated'} count={countOf(outcomes, 'updated')} />
          <Count name="Unchanged" count={countOf(outcomes, 'unchanged')} />
          <Count name="Rejected" count={failed.length} />
        </dl>
      </output>
      {failed.length > 0 && (
        <>
          <div className="flex items-center justify-between gap-3">
            <h3 className="font-semibold">Rejected rows</h3>
            <Button variant="quiet" icon={<Download aria-hidden className="size-4" />} onClick={download}>
              Download
            </Button>
          </div>
          <ul className="divide-y divide-hairline border-y border-hairline text-sm">
            {failed.slice(0, SHOWN_PROBLEMS).map(({ row, problem }) => (
              <li key={row} className="grid grid-cols-[5rem_1fr] gap-3 py-1.5">
                <span className="tabular text-muted">Line {formatCount(table.lines[row] ?? 0)}</span>
                <span className="min-w-0 break-words">{problem}</span>
              </li>
            ))}
          </ul>
          {failed.length > SHOWN_PROBLEMS && (
            <p className="text-sm text-muted">
              {formatCount(failed.length - SHOWN_PROBLEMS)} more are in the download.
            </p>
          )}
        </>
      )}
    </>
  );
};

const Count = ({ name, count }: { name: string; count: number }) => (
  <div className="flex flex-col-reverse">
    <dt className="text-sm text-muted">{name}</dt>
    <dd className="text-xl font-semibold">{formatCount(count)}</dd>
  </div>
);

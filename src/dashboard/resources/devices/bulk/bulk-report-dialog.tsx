import { Download } from 'lucide-react';
import { saveFile } from '../../../ui/browser/save-file.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { plural } from '../../../ui/format/format-number.ts';
import { Dialog, type DialogState } from '../../../ui/overlays/dialog.tsx';
import { ScrollRegion } from '../../../ui/layout/scroll-region.tsx';
import { describeDone, type BulkFailure, type BulkRun } from './bulk-run.ts';

/** The file lists all of them. */
const SHOWN = 100;

const download = async (failures: readonly BulkFailure[]) => {
  const { writeCsv } = await import('../../../ui/format/write-csv.ts');
  const rows = failures.map(({ id, name, reason }) => [id, name, reason]);
  const content = writeCsv(['id', 'name', 'reason'], rows);
  saveFile('failed-devices.csv', new Blob([content], { type: 'text/csv' }));
};

/** Each device that was not changed, and the reason. */
export const BulkReportDialog = ({ run, state }: { run: BulkRun; state: DialogState }) => {
  const { failures } = run;
  const more = failures.length - SHOWN;
  return (
    <Dialog
      state={state}
      title={`${plural(failures.length, 'device')} failed`}
      description={`${describeDone(run)}.`}
      footer={
        <>
          <Button icon={<Download aria-hidden className="size-4" />} onClick={() => void download(failures)}>
            Download CSV
          </Button>
          <Button variant="primary" onClick={state.onClose}>
            Close
          </Button>
        </>
      }
    >
      <ScrollRegion label="Failed devices" className="overflow-x-auto">
        <table className="w-full text-left">
          <thead className="text-sm text-muted">
            <tr className="border-b border-hairline">
              <th className="w-2/5 py-1.5 pr-3 font-medium">Device</th>
              <th className="py-1.5 font-medium">Reason</th>
            </tr>
          </thead>
          <tbody className="divide-y divide-hairline">
            {failures.slice(0, SHOWN).map(({ id, name, reason }, index) => (
              <tr key={id ?? index} className="align-top">
                <td className="py-1.5 pr-3 break-words">{name ?? id ?? 'Unknown device'}</td>
                <td className="py-1.5 text-muted">{reason}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {more > 0 && <p className="mt-2 text-sm text-muted">{plural(more, 'more device')} in the CSV file.</p>}
    </Dialog>
  );
};

import { navigation } from './navigation.ts';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { Kbd, modKey } from '../ui/controls/kbd.tsx';
import { Switch } from '../ui/controls/switch.tsx';
import { singleKeys } from './shortcuts.ts';
import { useStoredChoice } from '../ui/browser/stored-choice.ts';

const everywhere = [
  { keys: [modKey, 'K'], does: 'Search or run an action' },
  { keys: ['?'], does: 'Show this list' },
  { keys: ['/'], does: 'Focus the search field' },
  { keys: ['Esc'], does: 'Clear the search, then leave it' },
];
const inTables = [
  { keys: ['↓'], does: 'Move from the search field to the first row' },
  { keys: ['↑', '↓'], does: 'Move between rows' },
  { keys: ['Enter'], does: 'Open the row, or the first match of the search' },
  { keys: ['Home', 'End'], does: 'Move to the first or last row' },
  { keys: ['Space'], does: 'Select the row' },
  { keys: ['Shift', '↑ ↓'], does: 'Select several rows' },
  { keys: ['Esc'], does: 'Clear the selection' },
];

type Line = { keys: readonly string[]; does: string };

const Lines = ({ title, lines }: { title: string; lines: readonly Line[] }) => (
  <section>
    <h3 className="mb-1 text-sm text-muted">{title}</h3>
    <dl className="divide-y divide-hairline">
      {lines.map(({ keys, does }) => (
        <div key={does} className="flex items-center justify-between gap-4 py-1.5">
          <dt>{does}</dt>
          <dd className="flex gap-1">
            {keys.map((key) => (
              <Kbd key={key}>{key}</Kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  </section>
);

export const ShortcutList = ({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) => {
  const single = useStoredChoice(singleKeys);
  return (
    <Dialog state={{ isOpen, onClose }} title="Keyboard shortcuts">
      <div className="flex flex-col gap-5">
        <Lines title="Everywhere" lines={everywhere} />
        <Lines
          title="Go to"
          lines={navigation.map(({ key, label }) => ({ keys: ['g', key], does: label }))}
        />
        <Lines title="In a table" lines={inTables} />
        <Switch
          label="Single-key shortcuts"
          checked={single === 'on'}
          onChange={(event) => singleKeys.set(event.target.checked ? 'on' : 'off')}
        />
      </div>
    </Dialog>
  );
};

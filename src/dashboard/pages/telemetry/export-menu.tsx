import { Download } from 'lucide-react';
import { Menu } from '../../ui/overlays/menu.tsx';
import type { ExportFormat } from './use-export.ts';

/** Every sample of the range as a file. */
export const ExportMenu = ({
  isCompact,
  onExport,
}: {
  isCompact: boolean;
  onExport: (format: ExportFormat) => void;
}) => (
  <Menu
    label="Export"
    isIconOnly={isCompact}
    icon={<Download aria-hidden className="size-4" />}
    items={[
      { heading: 'Every sample of this range' },
      { label: 'CSV', onSelect: () => onExport('csv') },
      { label: 'NDJSON', onSelect: () => onExport('ndjson') },
    ]}
  />
);

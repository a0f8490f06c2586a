import { session } from '../../api/session.ts';
import { rangeEnds } from '../../resources/telemetry/time-range.ts';
import { shownRange } from './range-toolbar.tsx';
import { writeView, type TelemetryView } from './telemetry-view.ts';
import type { ExportFormat } from './use-export.ts';
import { encodeQuery } from '#contract/query-string.ts';
import { LIMITS, telemetryApi } from '#contract/telemetry.ts';
import type { SeriesRequest } from '../../resources/telemetry/telemetry-queries.ts';
import { Download, Share2 } from 'lucide-react';
import { Menu } from '../../ui/overlays/menu.tsx';
import { copyText } from '../../ui/browser/copy-text.ts';
import type { MenuItem } from '../../ui/overlays/menu-popup.tsx';
import { showToast } from '../../ui/feedback/toast.ts';

const KEY = '-H "Authorization: Bearer $PENSTOCK_KEY"';

/** A curl command that reads what the chart shows. Device IDs and metric names contain no quotes. */
const curlLine = (baseUrl: string, { devices, metrics, from, to, points }: SeriesRequest): string => {
  if (devices.length * metrics.length > LIMITS.seriesPerGet) {
    const body = JSON.stringify({ devices, metrics, from, to, points });
    return `curl ${KEY} --json '${body}' '${baseUrl}${telemetryApi.query.path}'`;
  }
  const query = encodeQuery({ device: devices, metric: metrics, from, to, points });
  return `curl ${KEY} '${baseUrl}${telemetryApi.read.path}${query}'`;
};

type Props = {
  view: TelemetryView;
  /** The shown devices, including those of tags, and the shown metrics, including default ones. */
  devices: readonly string[];
  metrics: readonly string[];
  points: number;
  isCompact: boolean;
  onExport: (format: ExportFormat) => void;
};

/** Shares what is shown as a link or a curl command, and exports it as a file. */
export const ShareAndExport = ({ view, devices, metrics, points, isCompact, onExport }: Props) => {
  const linkTo = (change: Partial<TelemetryView>) => {
    const { origin, pathname, search } = window.location;
    // Default metrics are written into the link, since later defaults may differ.
    const params = writeView(new URLSearchParams(search), { ...view, metrics, ...change });
    return `${origin}${pathname}?${params.toString()}`;
  };
  return (
    <>
      <ShareMenu
        isCompact={isCompact}
        link={() => linkTo({})}
        fixedLink={view.fixedRange === null ? () => linkTo({ fixedRange: shownRange(view) }) : undefined}
        curl={() => curlLine(session.baseUrl(), { devices, metrics, ...rangeEnds(view), points })}
      />
      <ExportMenu isCompact={isCompact} onExport={onExport} />
    </>
  );
};

/** Every sample of the range as a file. */
const ExportMenu = ({
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
      { heading: 'All samples in this range' },
      { label: 'CSV', onSelect: () => onExport('csv') },
      { label: 'NDJSON', onSelect: () => onExport('ndjson') },
    ]}
  />
);

type ShareMenuProps = {
  isCompact: boolean;
  /** The address of the shown resource. */
  link: () => string;
  /** The same with fixed times; undefined if the range is fixed already. */
  fixedLink: (() => string) | undefined;
  curl: () => string;
};

/** Copies a link or a curl command. */
const ShareMenu = ({ isCompact, link, fixedLink, curl }: ShareMenuProps) => {
  const copy = (text: string, done: string) =>
    void copyText(text).then((copied) =>
      showToast(copied ? { title: done } : { title: 'Not copied', detail: text, tone: 'bad' }),
    );
  const items: MenuItem[] = [{ label: 'Copy link', onSelect: () => copy(link(), 'Link copied') }];
  if (fixedLink !== undefined)
    items.push({
      label: 'Copy link to this moment',
      onSelect: () => copy(fixedLink(), 'Link to this moment copied'),
    });
  items.push({ label: 'Copy as curl', onSelect: () => copy(curl(), 'Copied as curl') });
  return (
    <Menu
      label="Share"
      isIconOnly={isCompact}
      icon={<Share2 aria-hidden className="size-4" />}
      items={items}
    />
  );
};

import { describeError } from '../../api/api-error.ts';
import { session } from '../../api/session.ts';
import { rangeEnds } from '../../resources/telemetry/time-range.ts';
import { shownRange } from './range-toolbar.tsx';
import { earlierByMs } from './chart-options.ts';
import { writeView, type TelemetryView } from './telemetry-view.ts';
import type { ExportFormat } from './use-export.ts';
import { encodeQuery } from '#contract/query-string.ts';
import { LIMITS } from '#contract/sample-rules.ts';
import { telemetryApi } from '#contract/telemetry.ts';
import { queryBody, type SeriesRequest } from '../../resources/telemetry/telemetry-queries.ts';
import { Download, Share2 } from 'lucide-react';
import type { ShownTelemetry } from './shown-telemetry.ts';
import { Menu } from '../../ui/overlays/menu.tsx';
import { copyText } from '../../ui/browser/copy-text.ts';
import type { MenuItem } from '../../ui/overlays/menu-popup.tsx';
import { showToast } from '../../ui/feedback/toast.ts';
import { shellText } from '../../ui/format/shell-text.ts';

const KEY = '-H "Authorization: Bearer $PENSTOCK_KEY"';

/** A curl command that reads the samples of a chart in one period. `seriesCount`: the largest number of series. */
const curlLine = (baseUrl: string, { seriesCount, ...request }: SharedRequest & RangeEnds): string => {
  const { devices, filter, metrics, from, to, points, agg, reduction } = request;
  if (seriesCount > LIMITS.seriesPerGet)
    return `curl ${KEY} --json ${shellText(JSON.stringify(queryBody(request)))} ${shellText(baseUrl + telemetryApi.query.path)}`;
  const query = {
    device: devices,
    ...filter,
    metric: metrics,
    from,
    to,
    points,
    agg: agg?.join(),
    ...reduction,
  };
  return `curl ${KEY} ${shellText(baseUrl + telemetryApi.read.path + encodeQuery(query))}`;
};

type RangeEnds = Pick<SeriesRequest, 'from' | 'to'>;
type SharedRequest = Omit<SeriesRequest, keyof RangeEnds> & { seriesCount: number };

type Props = {
  view: TelemetryView;
  /** The query of the shown samples; its metrics include default ones. */
  request: SharedRequest;
  /** The query of the period that the view is compared with, without its range; null without one, and until it is known. */
  comparedRequest: SharedRequest | null;
  /** Read when something is saved: a live chart moves. */
  shown: () => ShownTelemetry;
  /** The charts; null while the table is shown. */
  charts: () => HTMLElement | null;
  isCompact: boolean;
  /** Undefined while the shown devices are not known, or without any. */
  onExport: ((format: ExportFormat) => void) | undefined;
};

/** Shares what is shown as a link, a curl command or a picture, and saves it as a file. */
export const ShareAndExport = (props: Props) => {
  const { view, request, comparedRequest, shown, charts, isCompact, onExport } = props;
  const linkTo = (change: Partial<TelemetryView>) => {
    const { origin, pathname, search } = window.location;
    // Default metrics are written into the link, since later defaults may differ.
    const params = writeView(new URLSearchParams(search), { ...view, metrics: request.metrics, ...change });
    return `${origin}${pathname}?${params.toString()}`;
  };
  const curlText = () => {
    const lines = [curlLine(session.baseUrl(), { ...request, ...rangeEnds(view) })];
    if (view.compare !== null && comparedRequest !== null) {
      const ends = rangeEnds(view, earlierByMs(view.compare, view));
      lines.push(curlLine(session.baseUrl(), { ...comparedRequest, ...ends }));
    }
    return lines.join('\n');
  };
  const drawn = () => {
    const element = charts();
    if (element === null) throw new Error('The charts are not loaded yet. Try again.');
    return element;
  };
  const isChart = view.shows === 'chart';
  const share: MenuItem[] = [{ label: 'Copy link', onSelect: () => copy(linkTo({}), 'Link copied') }];
  if (view.fixedRange === null)
    share.push({
      label: 'Copy link to this moment',
      onSelect: () => copy(linkTo({ fixedRange: shownRange(view) }), 'Link to this moment copied'),
    });
  share.push({
    label: 'Copy as curl',
    onSelect: () => copy(curlText(), 'Copied as curl'),
  });
  if (canCopyPictures())
    share.push({
      label: 'Copy image',
      isDisabled: !isChart,
      onSelect: () =>
        void attempt('Not copied', async () => {
          const { copyShownPicture } = await import('./save-shown.ts');
          await copyShownPicture(drawn(), shown());
          return { title: 'Image copied' };
        }),
    });
  const savePicture = (format: 'png' | 'svg') =>
    void attempt('Not saved', async () => {
      const { saveShownPicture } = await import('./save-shown.ts');
      return { title: 'Image saved', detail: await saveShownPicture(drawn(), shown(), format) };
    });
  const saveValues = () =>
    void attempt('Not saved', async () => {
      const { saveShownCsv } = await import('./save-shown.ts');
      return { title: 'Shown values saved', detail: saveShownCsv(shown()) };
    });
  return (
    <>
      <Menu
        label="Share"
        appearance={isCompact ? 'icon' : 'secondary'}
        icon={<Share2 aria-hidden className="size-4" />}
        items={share}
      />
      <Menu
        label="Export"
        appearance={isCompact ? 'icon' : 'secondary'}
        icon={<Download aria-hidden className="size-4" />}
        items={[
          { heading: 'All samples in this range' },
          { label: 'CSV', isDisabled: onExport === undefined, onSelect: () => onExport?.('csv') },
          { label: 'NDJSON', isDisabled: onExport === undefined, onSelect: () => onExport?.('ndjson') },
          'separator',
          { heading: 'Current view' },
          { label: 'Shown values as CSV', onSelect: saveValues },
          { label: 'Image as PNG', isDisabled: !isChart, onSelect: () => savePicture('png') },
          { label: 'Image as SVG', isDisabled: !isChart, onSelect: () => savePicture('svg') },
        ]}
      />
    </>
  );
};

const copy = (text: string, done: string) =>
  void copyText(text).then((copied) =>
    showToast(copied ? { title: done } : { title: 'Not copied', detail: text, tone: 'bad' }),
  );

/** Only on pages that browsers trust: https or this machine. */
const canCopyPictures = (): boolean => 'ClipboardItem' in window && navigator.clipboard !== undefined;

/** Reports the result in a toast. Code that saves is loaded on first use, which may fail. */
const attempt = async (
  failure: string,
  act: () => Promise<{ title: string; detail?: string }>,
): Promise<void> => {
  try {
    showToast(await act());
  } catch (error) {
    showToast({ title: failure, detail: describeError(error).detail, tone: 'bad' });
  }
};

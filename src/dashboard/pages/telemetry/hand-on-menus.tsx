import { session } from '../../api/session.ts';
import { rangeEnds } from '../../resources/telemetry/time-range.ts';
import { curlLine } from './curl-line.ts';
import { ExportMenu } from './export-menu.tsx';
import { shownStretch } from './range-toolbar.tsx';
import { ShareMenu } from './share-menu.tsx';
import { writeView, type TelemetryView } from './telemetry-view.ts';
import type { ExportFormat } from './use-export.ts';

type Props = {
  view: TelemetryView;
  /** What is on screen: those of the tags as well, and the metrics that nobody chose. */
  devices: readonly string[];
  metrics: readonly string[];
  points: number;
  isCompact: boolean;
  onExport: (format: ExportFormat) => void;
};

/** Hands on what is on screen: as a link, as a line for a shell, as a file. */
export const HandOnMenus = ({ view, devices, metrics, points, isCompact, onExport }: Props) => {
  const linkTo = (change: Partial<TelemetryView>) => {
    const { origin, pathname, search } = window.location;
    // What nobody chose yet is written down: later there may be other metrics to begin with.
    const params = writeView(new URLSearchParams(search), { ...view, metrics, ...change });
    return `${origin}${pathname}?${params.toString()}`;
  };
  return (
    <>
      <ShareMenu
        isCompact={isCompact}
        link={() => linkTo({})}
        fixedLink={view.stretch === null ? () => linkTo({ stretch: shownStretch(view) }) : undefined}
        curl={() => curlLine(session.baseUrl(), { devices, metrics, ...rangeEnds(view), points })}
      />
      <ExportMenu isCompact={isCompact} onExport={onExport} />
    </>
  );
};

import './harness.css';
import { lazy, StrictMode, Suspense, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { chartPicture, type PictureFormat } from '#dashboard/charts/chart-picture.ts';
import { ChartTable } from '#dashboard/charts/chart-table.tsx';
import { Sparkline } from '#dashboard/charts/sparkline.tsx';
import { createBenchCharts, LiveBench } from './live-bench.tsx';
import { PixelScene } from './pixel-scene.tsx';
import { startUplotBench } from './uplot-bench.ts';
import { NOON, scenes, type SceneData } from './scenes.ts';

const TimeChart = lazy(async () => ({
  default: (await import('#dashboard/charts/time-chart.tsx')).TimeChart,
}));
const StateTimeline = lazy(async () => ({
  default: (await import('#dashboard/charts/state-timeline.tsx')).StateTimeline,
}));

const query = new URLSearchParams(location.search);
document.documentElement.dataset['theme'] = query.get('theme') ?? 'light';
const scene = query.get('scene') ?? 'all';

interface HarnessWindow {
  zooms: [number, number][];
  /** Returns a picture of all charts on the page as a data URL. */
  picture: (format: PictureFormat) => Promise<string>;
}
declare global {
  interface Window {
    harness: HarnessWindow;
  }
}
window.harness = {
  zooms: [],
  async picture(format) {
    const section = document.querySelector('section');
    if (section === null) throw new Error('There is no chart.');
    const legend = (scenes.find(({ name }) => name === scene) ?? scenes[0])?.series ?? [];
    const blob = await chartPicture(section, { title: 'Boilers', subtitle: '24 h', legend }, format);
    return new Promise((resolve) => {
      const reader = new FileReader();
      reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''));
      reader.readAsDataURL(blob);
    });
  },
};

const onZoom = (fromMs: number, toMs: number) => {
  window.harness.zooms.push([fromMs, toMs]);
};

function Scene({ name, series, states, fromMs }: SceneData) {
  const toMs = NOON;
  return (
    <section className="mb-6 rounded-md border border-hairline bg-surface p-4" data-scene={name}>
      <h2 className="mb-2 text-sm font-medium">{name}</h2>
      <Suspense fallback={<div style={{ height: 240 }} />}>
        {states.length > 0 ? (
          <StateTimeline series={states} time={{ fromMs, toMs, timeZone: 'utc', onZoom }} label="States" />
        ) : null}
        <TimeChart
          series={series}
          time={{ fromMs, toMs, timeZone: query.get('zone') === 'local' ? 'local' : 'utc', onZoom }}
          height={240}
          label={name}
        />
      </Suspense>
      {query.get('table') === null ? null : (
        <ChartTable
          series={[...series, ...states]}
          time={{ fromMs, toMs, timeZone: 'utc' }}
          label={name}
          limit={8}
        />
      )}
    </section>
  );
}

function page(): ReactNode {
  if (scene === 'pixels') return <PixelScene />;
  if (scene === 'bench') return <LiveBench charts={createBenchCharts()} />;
  const chosen = scenes.filter(({ name }) => scene === 'all' || name === scene);
  return (
    <>
      {chosen.map((each) => (
        <Scene key={each.name} {...each} />
      ))}
      <div className="flex gap-4 text-muted">
        {chosen[0]?.series.map(({ id, label, columns }) => (
          <Sparkline key={id} columns={columns} label={label} />
        ))}
      </div>
    </>
  );
}

const root = document.querySelector('#root');
if (root instanceof HTMLElement) {
  if (scene === 'uplot') startUplotBench(root);
  else if (scene === 'echarts') (await import('./echarts-bench.ts')).startEchartsBench(root);
  else
    createRoot(root).render(
      <StrictMode>
        <main className="p-4">{page()}</main>
      </StrictMode>,
    );
}

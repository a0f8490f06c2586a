import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { chartCount, createWalk, SERIES, startTimes, STEP_MS, windowMs } from './bench-data.ts';
import { NOON } from './scenes.ts';

const COLOURS = ['#0262c3', '#c77c00', '#4aa484', '#9984f0'];

/** The same charts drawn by uPlot, with a shared cursor and its legend as the readout. */
export function startUplotBench(host: HTMLElement): void {
  const isGrid = chartCount > 1;
  host.className = isGrid ? 'grid grid-cols-3 gap-2' : '';
  let clockMs = NOON;
  const charts = Array.from({ length: chartCount }, (_, id) => {
    const walk = createWalk(id);
    const times = startTimes().map((ms) => ms / 1_000);
    const columns = walk(times.length);
    const place = document.createElement('div');
    host.append(place);
    const plot = new uPlot(
      {
        width: Math.floor(host.clientWidth / (isGrid ? 3 : 1)) - (isGrid ? 8 : 0),
        height: (isGrid ? 200 : 400) - 30,
        cursor: { sync: { key: 'bench' } },
        series: [
          {},
          ...COLOURS.map((stroke, n) => ({
            label: `Series ${n + 1}`,
            stroke,
            width: 1,
            points: { show: false },
          })),
        ],
        scales: { x: { time: true } },
      },
      [times, ...columns],
      place,
    );
    plot.over.dataset['hover'] = '';
    return { plot, times, columns, walk };
  });
  window.pushSamples = () => {
    clockMs += STEP_MS;
    for (const { plot, times, columns, walk } of charts) {
      times.push(clockMs / 1_000);
      const next = walk(1);
      for (let n = 0; n < SERIES; n += 1) columns[n]?.push(next[n]?.[0] ?? 0);
      while ((times[0] ?? 0) * 1_000 < clockMs - windowMs) {
        times.shift();
        for (const column of columns) column.shift();
      }
      plot.setData([times, ...columns]);
    }
  };
}

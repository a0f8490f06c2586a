import { LineChart } from 'echarts/charts';
import { GridComponent, TooltipComponent } from 'echarts/components';
import { connect, init, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import { chartCount, createWalk, startTimes, STEP_MS, windowMs } from './bench-data.ts';
import { NOON } from './scenes.ts';

// oxlint-disable-next-line react/rules-of-hooks -- not a hook
use([LineChart, GridComponent, TooltipComponent, CanvasRenderer]);

const COLOURS = ['#0262c3', '#c77c00', '#4aa484', '#9984f0'];
const GROUP = 'bench';

/** The same charts drawn by echarts, with its tooltip as the readout and a shared cursor. */
export function startEchartsBench(host: HTMLElement): void {
  const isGrid = chartCount > 1;
  host.className = isGrid ? 'grid grid-cols-3 gap-2' : '';
  let clockMs = NOON;
  const charts = Array.from({ length: chartCount }, (_, id) => {
    const walk = createWalk(id);
    const times = startTimes();
    const columns = walk(times.length).map((values) =>
      values.map((value, index): [number, number] => [times[index] ?? 0, value]),
    );
    const place = document.createElement('div');
    place.style.height = `${isGrid ? 200 : 400}px`;
    host.append(place);
    const chart = init(place, null, { renderer: 'canvas' });
    // The element that listens to the pointer.
    if (place.firstElementChild instanceof HTMLElement) place.firstElementChild.dataset['hover'] = '';
    chart.group = GROUP;
    const dataOf = () => ({
      xAxis: { min: clockMs - windowMs, max: clockMs },
      series: columns.map((data) => ({ data })),
    });
    chart.setOption({
      animation: false,
      color: COLOURS,
      grid: { left: 48, right: 16, top: 8, bottom: 24 },
      tooltip: { trigger: 'axis', transitionDuration: 0, axisPointer: { animation: false } },
      xAxis: { type: 'time', min: clockMs - windowMs, max: clockMs },
      yAxis: { type: 'value', scale: true },
      series: columns.map((data, n) => ({
        type: 'line',
        name: `Series ${n + 1}`,
        data,
        showSymbol: false,
        lineStyle: { width: 1 },
        emphasis: { disabled: true },
        // Its fastest sampling that keeps the extremes.
        sampling: 'minmax',
      })),
    });
    return { chart, columns, walk, dataOf };
  });
  connect(GROUP);
  window.pushSamples = () => {
    clockMs += STEP_MS;
    for (const { chart, columns, walk, dataOf } of charts) {
      const next = walk(1);
      for (const [n, column] of columns.entries()) {
        column.push([clockMs, next[n]?.[0] ?? 0]);
        while ((column[0]?.[0] ?? clockMs) < clockMs - windowMs) column.shift();
      }
      chart.setOption(dataOf(), { lazyUpdate: true });
    }
  };
}

import { drawingOf } from './draw/canvas-layer.tsx';
import { themeColour, type DrawContext } from './draw/draw-context.ts';
import { COMPARISON_OPACITY, dashPattern, seriesColour, type LineStyle } from './series/series-style.ts';
import type { ColourSlot } from './series/series.ts';
import { SvgContext } from './svg-context.ts';

interface PictureOptions {
  title: string;
  /** The shown range. */
  subtitle: string;
  legend: readonly (LineStyle & { label: string; colour: ColourSlot })[];
}

export type PictureFormat = 'png' | 'svg';

const MARGIN_PX = 16;
const LINE_PX = 20;
const SWATCH_PX = 22;
/** At least two device pixels per CSS pixel, for printing. */
const MIN_SCALE = 2;

/** All charts within an element as a picture in the current theme, with title, legend and axes. */
export async function chartPicture(
  element: HTMLElement,
  options: PictureOptions,
  format: PictureFormat,
): Promise<Blob> {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('This browser cannot create an image.');
  // Within the page, so that drawings find the colours of the theme.
  canvas.hidden = true;
  element.append(canvas);
  try {
    return await drawOn(canvas, context, element, options, format);
  } finally {
    canvas.remove();
  }
}

function drawOn(
  canvas: HTMLCanvasElement,
  context: CanvasRenderingContext2D,
  element: HTMLElement,
  options: PictureOptions,
  format: PictureFormat,
): Promise<Blob> {
  const layout = layOut(context, element, options);
  const { width, height } = layout;
  if (format === 'svg') {
    const svg = new SvgContext(context);
    drawPicture(svg, element, layout, options);
    return Promise.resolve(new Blob([svg.toString(width, height)], { type: 'image/svg+xml' }));
  }
  const scale = Math.max(MIN_SCALE, window.devicePixelRatio);
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  context.scale(scale, scale);
  drawPicture(context, element, layout, options);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null)
        reject(new Error('The image is too large for this browser. Export it as SVG, or show fewer charts.'));
      else resolve(blob);
    }, 'image/png');
  });
}

interface Layout {
  width: number;
  height: number;
  /** Where the charts begin. */
  top: number;
  legend: readonly { x: number; row: number }[];
}

function layOut(context: CanvasRenderingContext2D, element: HTMLElement, { legend }: PictureOptions): Layout {
  const frame = element.getBoundingClientRect();
  const width = frame.width + 2 * MARGIN_PX;
  context.font = `12px ${getComputedStyle(element).fontFamily}`;
  const places = legendPlaces(context, legend, width - 2 * MARGIN_PX);
  const top = MARGIN_PX + LINE_PX * (2 + (places.at(-1)?.row ?? -1) + 1) + MARGIN_PX / 2;
  return { width, height: top + frame.height + MARGIN_PX, top, legend: places };
}

function legendPlaces(context: DrawContext, legend: PictureOptions['legend'], room: number) {
  let x = 0;
  let row = 0;
  return legend.map(({ label }) => {
    const width = SWATCH_PX + 6 + context.measureText(label).width + MARGIN_PX;
    if (x > 0 && x + width > room) {
      x = 0;
      row += 1;
    }
    const place = { x, row };
    x += width;
    return place;
  });
}

function drawPicture(
  context: DrawContext,
  element: HTMLElement,
  layout: Layout,
  { title, subtitle, legend }: PictureOptions,
): void {
  const { width, height, top } = layout;
  const style = getComputedStyle(element);
  const frame = element.getBoundingClientRect();
  context.fillStyle = themeColour(style, 'surface');
  context.fillRect(0, 0, width, height);
  context.textBaseline = 'middle';
  context.fillStyle = themeColour(style, 'ink');
  context.font = `600 13px ${style.fontFamily}`;
  context.fillText(title, MARGIN_PX, MARGIN_PX + LINE_PX / 2);
  context.fillStyle = themeColour(style, 'muted');
  context.font = `12px ${style.fontFamily}`;
  context.fillText(subtitle, MARGIN_PX, MARGIN_PX + LINE_PX * 1.5);
  drawLegend(context, legend, layout, element);
  context.translate(MARGIN_PX - frame.left, top - frame.top);
  drawAxes(context, element);
  for (const canvas of element.querySelectorAll('canvas')) {
    const chart = canvas.parentElement?.getBoundingClientRect();
    if (chart === undefined) continue;
    context.save();
    context.translate(chart.left, chart.top);
    drawingOf(canvas)?.(context);
    context.restore();
  }
  drawStateLegends(context, element);
}

/** Draws the legends of states as they are on the page. */
function drawStateLegends(context: DrawContext, element: HTMLElement): void {
  for (const state of element.querySelectorAll('[data-state]')) {
    const { color, fontFamily, fontSize } = getComputedStyle(state);
    const swatch = state.querySelector('[aria-hidden]');
    const text = swatch?.nextElementSibling ?? state;
    if (swatch !== null) {
      const box = swatch.getBoundingClientRect();
      context.fillStyle = getComputedStyle(swatch).backgroundColor;
      context.fillRect(box.left, box.top, box.width, box.height);
    }
    const box = text.getBoundingClientRect();
    context.font = `${fontSize} ${fontFamily}`;
    context.fillStyle = color;
    context.fillText(text.textContent, box.left, box.top + box.height / 2);
  }
}

function drawLegend(
  context: DrawContext,
  legend: PictureOptions['legend'],
  { legend: places }: Layout,
  element: HTMLElement,
): void {
  const probe = document.createElement('i');
  element.append(probe);
  const style = getComputedStyle(probe);
  context.lineWidth = 2;
  for (const [index, entry] of legend.entries()) {
    const { x = 0, row = 0 } = places[index] ?? {};
    const middle = MARGIN_PX + LINE_PX * (row + 2.5);
    probe.style.color = seriesColour(entry.colour);
    context.strokeStyle = style.color;
    context.setLineDash([...dashPattern(entry)]);
    context.globalAlpha = entry.comparisonOf === undefined ? 1 : COMPARISON_OPACITY;
    context.beginPath();
    context.moveTo(MARGIN_PX + x, middle);
    context.lineTo(MARGIN_PX + x + SWATCH_PX, middle);
    context.stroke();
    context.globalAlpha = 1;
    context.fillStyle = themeColour(style, 'muted');
    context.fillText(entry.label, MARGIN_PX + x + SWATCH_PX + 6, middle);
  }
  context.setLineDash([]);
  probe.remove();
}

/** Draws grid lines, tick labels and units as they are on the page. */
function drawAxes(context: DrawContext, element: HTMLElement): void {
  context.lineWidth = 1;
  for (const line of element.querySelectorAll('svg.recharts-surface line')) {
    const box = line.getBoundingClientRect();
    context.strokeStyle = getComputedStyle(line).stroke;
    context.beginPath();
    context.moveTo(Math.floor(box.left) + 0.5, Math.floor(box.top) + 0.5);
    context.lineTo(Math.floor(box.right) + 0.5, Math.floor(box.bottom) + 0.5);
    context.stroke();
  }
  for (const label of element.querySelectorAll('svg.recharts-surface text, [data-unit]')) {
    const box = label.getBoundingClientRect();
    const { color, fill, fontFamily, fontSize } = getComputedStyle(label);
    const anchor =
      label.getAttribute('text-anchor') ?? (label.getAttribute('data-unit') === 'left' ? 'end' : 'start');
    context.font = `${fontSize} ${fontFamily}`;
    context.fillStyle = label instanceof SVGElement ? fill : color;
    context.textAlign = anchor === 'middle' ? 'center' : anchor === 'end' ? 'right' : 'left';
    const x = anchor === 'middle' ? box.left + box.width / 2 : anchor === 'end' ? box.right : box.left;
    context.fillText(label.textContent, x, box.top + box.height / 2);
  }
  context.textAlign = 'left';
}

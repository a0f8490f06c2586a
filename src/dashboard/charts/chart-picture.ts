import { seriesColour } from './series/series-style.ts';
import type { ColourSlot } from './series/series.ts';

interface PictureOptions {
  title: string;
  legend: readonly { label: string; colour: ColourSlot }[];
}

const MARGIN_PX = 16;
const LINE_PX = 20;
const SWATCH_PX = 12;
/** At least two device pixels per CSS pixel, for printing. */
const MIN_SCALE = 2;

/** All charts within an element as a PNG in the current theme, with title, legend and axes. */
export async function chartPicture(element: HTMLElement, { title, legend }: PictureOptions): Promise<Blob> {
  const frame = element.getBoundingClientRect();
  const scale = Math.max(MIN_SCALE, window.devicePixelRatio);
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('This browser cannot create an image.');
  const style = getComputedStyle(element);
  const width = frame.width + 2 * MARGIN_PX;
  context.font = `12px ${style.fontFamily}`;
  const places = legendPlaces(context, legend, width - 2 * MARGIN_PX);
  const top = MARGIN_PX + LINE_PX * (1 + (places.at(-1)?.row ?? -1) + 1) + MARGIN_PX / 2;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round((top + frame.height + MARGIN_PX) * scale);

  context.scale(scale, scale);
  context.fillStyle = token(style, '--surface', '#ffffff');
  context.fillRect(0, 0, width, top + frame.height + MARGIN_PX);
  context.textBaseline = 'middle';
  context.fillStyle = token(style, '--ink', '#151a1b');
  context.font = `600 13px ${style.fontFamily}`;
  context.fillText(title, MARGIN_PX, MARGIN_PX + LINE_PX / 2);
  drawLegend(context, legend, places, element);
  context.translate(MARGIN_PX - frame.left, top - frame.top);
  drawAxes(context, element);
  for (const plot of element.querySelectorAll('canvas')) {
    const box = plot.getBoundingClientRect();
    if (plot.width > 0) context.drawImage(plot, box.left, box.top, box.width, box.height);
  }

  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error('The image is too large for this browser.'));
      else resolve(blob);
    }, 'image/png');
  });
}

const token = (style: CSSStyleDeclaration, name: string, fallback: string) =>
  style.getPropertyValue(name).trim() || fallback;

function legendPlaces(context: CanvasRenderingContext2D, legend: PictureOptions['legend'], room: number) {
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

function drawLegend(
  context: CanvasRenderingContext2D,
  legend: PictureOptions['legend'],
  places: readonly { x: number; row: number }[],
  element: HTMLElement,
): void {
  const probe = document.createElement('i');
  element.append(probe);
  const style = getComputedStyle(probe);
  context.font = `12px ${style.fontFamily}`;
  for (const [index, { label, colour }] of legend.entries()) {
    const { x = 0, row = 0 } = places[index] ?? {};
    const middle = MARGIN_PX + LINE_PX * (row + 1.5);
    probe.style.color = seriesColour(colour);
    context.fillStyle = style.color;
    context.fillRect(MARGIN_PX + x, middle - 1, SWATCH_PX, 2);
    context.fillStyle = token(style, '--muted', '#545e60');
    context.fillText(label, MARGIN_PX + x + SWATCH_PX + 6, middle);
  }
  probe.remove();
}

/** Draws grid lines, tick labels and units as they are on the page. */
function drawAxes(context: CanvasRenderingContext2D, element: HTMLElement): void {
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

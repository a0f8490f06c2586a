import type { DrawContext } from './draw/draw-context.ts';

type Style = CanvasRenderingContext2D['fillStyle'];

interface Place {
  x: number;
  y: number;
  /** The attribute that clips what is drawn, or nothing. */
  clip: string;
}

const ANCHORS: Partial<Record<CanvasTextAlign, string>> = { center: 'middle', right: 'end', end: 'end' };
const BASELINES: Partial<Record<CanvasTextBaseline, string>> = { middle: 'central', top: 'hanging' };

/** Hundredths of a pixel. */
const rounded = (value: number): string => String(Math.round(value * 100) / 100);

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Records the drawing of charts as SVG. It supports only the canvas calls of charts: translation, but no scaling. */
export class SvgContext implements DrawContext {
  readonly canvas: HTMLCanvasElement;
  globalAlpha = 1;
  fillStyle: Style = '#000';
  strokeStyle: Style = '#000';
  lineWidth = 1;
  lineJoin: CanvasLineJoin = 'miter';
  font = '10px sans-serif';
  textAlign: CanvasTextAlign = 'start';
  textBaseline: CanvasTextBaseline = 'alphabetic';
  readonly #parts: string[] = [];
  readonly #measure: CanvasRenderingContext2D;
  readonly #kept: Place[] = [];
  #place: Place = { x: 0, y: 0, clip: '' };
  #path = '';
  #dash = '';
  #clips = 0;

  /** `measure` measures text, with the fonts and the styles of its canvas. */
  constructor(measure: CanvasRenderingContext2D) {
    this.#measure = measure;
    this.canvas = measure.canvas;
  }

  /** The drawing as a document. */
  toString(width: number, height: number): string {
    const size = `width="${rounded(width)}" height="${rounded(height)}" viewBox="0 0 ${rounded(width)} ${rounded(height)}"`;
    return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>\n${this.#parts.join('\n')}\n</svg>\n`;
  }

  save(): void {
    this.#kept.push(this.#place);
  }

  restore(): void {
    this.#place = this.#kept.pop() ?? this.#place;
  }

  translate(x: number, y: number): void {
    this.#place = { ...this.#place, x: this.#place.x + x, y: this.#place.y + y };
  }

  beginPath(): void {
    this.#path = '';
  }

  moveTo(x: number, y: number): void {
    this.#path += `M${this.#at(x, y)}`;
  }

  lineTo(x: number, y: number): void {
    this.#path += `L${this.#at(x, y)}`;
  }

  closePath(): void {
    this.#path += 'Z';
  }

  /** Whole circles only: charts draw no other arcs. */
  arc(x: number, y: number, radius: number): void {
    const r = rounded(radius);
    this.#path += `M${this.#at(x + radius, y)}a${r} ${r} 0 1 0 ${rounded(-2 * radius)} 0a${r} ${r} 0 1 0 ${rounded(2 * radius)} 0`;
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.#path += `M${this.#at(x, y)}h${rounded(width)}v${rounded(height)}h${rounded(-width)}Z`;
  }

  clip(): void {
    this.#clips += 1;
    const id = `clip-${this.#clips}`;
    this.#parts.push(`<clipPath id="${id}"><path d="${this.#path}"/></clipPath>`);
    this.#place = { ...this.#place, clip: ` clip-path="url(#${id})"` };
  }

  setLineDash(lengths: Iterable<number>): void {
    const text = [...lengths].map(rounded).join(' ');
    this.#dash = text === '' ? '' : ` stroke-dasharray="${text}"`;
  }

  fill(): void {
    this.#add(`<path d="${this.#path}" fill="${this.#colour(this.fillStyle)}"${this.#alpha('fill')}`);
  }

  stroke(): void {
    this.#add(`<path d="${this.#path}" fill="none" ${this.#strokeLook()}`);
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    this.#path = '';
    this.rect(x, y, width, height);
    this.fill();
  }

  fillText(text: string, x: number, y: number): void {
    this.#addText(text, x, y, `fill="${this.#colour(this.fillStyle)}"${this.#alpha('fill')}`);
  }

  strokeText(text: string, x: number, y: number): void {
    this.#addText(text, x, y, `fill="none" ${this.#strokeLook()}`);
  }

  measureText(text: string): TextMetrics {
    this.#measure.font = this.font;
    return this.#measure.measureText(text);
  }

  #strokeLook(): string {
    return `stroke="${this.#colour(this.strokeStyle)}" stroke-width="${rounded(this.lineWidth)}" stroke-linejoin="${this.lineJoin}"${this.#dash}${this.#alpha('stroke')}`;
  }

  /** Keeps the width that is measured here, since the viewer may not have the font. */
  #addText(text: string, x: number, y: number, look: string): void {
    if (text === '') return;
    const [left = '0', top = '0'] = this.#at(x, y).split(' ');
    const anchor = ANCHORS[this.textAlign] ?? 'start';
    const baseline = BASELINES[this.textBaseline] ?? 'alphabetic';
    const width = rounded(this.measureText(text).width);
    this.#add(
      `<text x="${left}" y="${top}" textLength="${width}" lengthAdjust="spacingAndGlyphs" xml:space="preserve" style="font: ${escaped(this.font)}" text-anchor="${anchor}" dominant-baseline="${baseline}" ${look}`,
      escaped(text),
    );
  }

  #at(x: number, y: number): string {
    return `${rounded(x + this.#place.x)} ${rounded(y + this.#place.y)}`;
  }

  #colour(style: Style): string {
    return typeof style === 'string' ? escaped(style) : 'none';
  }

  #alpha(kind: 'fill' | 'stroke'): string {
    return this.globalAlpha === 1 ? '' : ` ${kind}-opacity="${rounded(this.globalAlpha)}"`;
  }

  #add(start: string, content?: string): void {
    const end = content === undefined ? '/>' : `>${content}</text>`;
    this.#parts.push(`${start}${this.#place.clip}${end}`);
  }
}

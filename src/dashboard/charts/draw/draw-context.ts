/** What charts draw with: a canvas, or anything that records the same calls. */
export type DrawContext = Pick<
  CanvasRenderingContext2D,
  | 'arc'
  | 'beginPath'
  | 'canvas'
  | 'clip'
  | 'closePath'
  | 'fill'
  | 'fillRect'
  | 'fillStyle'
  | 'fillText'
  | 'font'
  | 'globalAlpha'
  | 'lineJoin'
  | 'lineTo'
  | 'lineWidth'
  | 'measureText'
  | 'moveTo'
  | 'rect'
  | 'restore'
  | 'save'
  | 'setLineDash'
  | 'stroke'
  | 'strokeStyle'
  | 'strokeText'
  | 'textAlign'
  | 'textBaseline'
  | 'translate'
>;

/** The light theme, for a page without a stylesheet. */
const FALLBACKS = { surface: '#ffffff', ink: '#151a1b', muted: '#545e60' } as const;

/** A colour of the current theme. */
export const themeColour = (style: CSSStyleDeclaration, name: keyof typeof FALLBACKS): string =>
  style.getPropertyValue(`--${name}`).trim() || FALLBACKS[name];

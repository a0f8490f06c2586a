/** The text is not JSON, or JSON of a form that the cursor does not read. */
export const UNUSUAL = new Error('The text needs a general reader of JSON.');

const [TAB, LINE_FEED, RETURN, SPACE, QUOTE, COMMA] = [9, 10, 13, 32, 0x22, 0x2c];
const [MINUS, DOT, ZERO, NINE, CLOSE_OBJECT] = [0x2d, 0x2e, 0x30, 0x39, 0x7d];

const JSON_NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** A JSON text has these only in escapes. */
const NEEDS_ESCAPE = /[\u0000-\u001f\\]/;
/** Integers of up to 15 digits and these powers are exact as doubles, so their quotient is rounded once. */
const EXACT_DIGITS = 15;
const POWERS = Array.from({ length: EXACT_DIGITS + 1 }, (_, power) => 10 ** power);

export const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;

/** Takes tokens from JSON text, from a position that moves on. All of it @throws UNUSUAL */
export class JsonCursor {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  readNumber(): number {
    const text = this.text;
    const start = this.at;
    const isNegative = text.charCodeAt(start) === MINUS;
    const digitsStart = isNegative ? start + 1 : start;
    let at = digitsStart;
    let mantissa = 0;
    let point = -1;
    let code = text.charCodeAt(at);
    for (; isDigit(code) || (code === DOT && point === -1); code = text.charCodeAt(at)) {
      if (code === DOT) point = at;
      else mantissa = mantissa * 10 + code - ZERO;
      at += 1;
    }
    const decimals = point === -1 ? 0 : at - point - 1;
    const whole = (point === -1 ? at : point) - digitsStart;
    const hasLeadingZero = whole > 1 && text.charCodeAt(digitsStart) === ZERO;
    const isEnd = code === COMMA || code === CLOSE_OBJECT || code === SPACE || code === LINE_FEED;
    const isSimple = isEnd && whole > 0 && !hasLeadingZero && (point === -1 || decimals > 0);
    if (!isSimple || whole + decimals > EXACT_DIGITS) return this.#readLongNumber();
    this.at = at;
    const size = decimals === 0 ? mantissa : mantissa / POWERS[decimals]!;
    return isNegative ? -size : size;
  }

  /** A number of many digits or with an exponent. */
  #readLongNumber(): number {
    JSON_NUMBER.lastIndex = this.at;
    const [token] = JSON_NUMBER.exec(this.text) ?? [];
    const number = Number(token);
    if (token === undefined || !Number.isFinite(number)) throw UNUSUAL;
    this.at += token.length;
    return number;
  }

  /** A text without escapes. */
  readPlainText(): string {
    this.take(QUOTE);
    const end = this.text.indexOf('"', this.at);
    if (end === -1) throw UNUSUAL;
    const text = this.text.slice(this.at, end);
    if (NEEDS_ESCAPE.test(text)) throw UNUSUAL;
    this.at = end + 1;
    return text;
  }

  skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== SPACE && code !== LINE_FEED && code !== RETURN && code !== TAB) return;
      this.at += 1;
    }
  }

  takeIf(code: number): boolean {
    this.skipSpace();
    if (this.text.charCodeAt(this.at) !== code) return false;
    this.at += 1;
    return true;
  }

  take(code: number): void {
    if (!this.takeIf(code)) throw UNUSUAL;
  }

  takeTextIf(text: string): boolean {
    if (!this.text.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  takeText(text: string): void {
    this.skipSpace();
    if (!this.takeTextIf(text)) throw UNUSUAL;
  }
}

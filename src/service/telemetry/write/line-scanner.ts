import { isUtf8 } from 'node:buffer';
import { KIND } from '../store/sample-columns.ts';

/** An invalid line. The message is the end of a sentence. */
export class InvalidLine extends Error {
  override readonly name = 'InvalidLine';

  constructor(message: string) {
    const { stackTraceLimit } = Error;
    // A body may hold a million invalid lines, and a stack trace takes ten times as long as a line.
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

const [TAB, LINE_FEED, RETURN, SPACE, QUOTE, HASH] = [9, 10, 13, 32, 0x22, 0x23];
const [COMMA, MINUS, DOT, ZERO, NINE, EQUALS, BACKSLASH] = [0x2c, 0x2d, 0x2e, 0x30, 0x39, 0x3d, 0x5c];
const [INTEGER, UNSIGNED] = [0x69, 0x75];
const END_OF_TOKEN = /[, \r\n]/g;
const BOOLEANS = new Map([
  ...['t', 'T', 'true', 'True', 'TRUE'].map((text) => [text, 1] as const),
  ...['f', 'F', 'false', 'False', 'FALSE'].map((text) => [text, 0] as const),
]);
const FLOAT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const NO_NUMBER = /^[+-]?(?:nan|inf(?:inity)?)$/i;
/** Integers of up to 15 digits and these powers are exact as doubles, so their quotient is rounded once. */
const EXACT_DIGITS = 15;
const POWERS = Array.from({ length: EXACT_DIGITS + 1 }, (_, power) => 10 ** power);
const SHOWN_CHARACTERS = 40;

const shown = (text: string): string => JSON.stringify(text.slice(0, SHOWN_CHARACTERS));

/** Whether an odd number of backslashes precedes a position. */
const isEscaped = (text: string, at: number): boolean => {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (at - 1 - before) % 2 === 1;
};

/** A number of many digits or with an exponent; NaN for those that cannot be stored. @throws InvalidLine */
const readUnusualNumber = (token: string): number => {
  const digits = /^(-?\d+)[iu]$/.exec(token)?.[1] ?? token;
  if (FLOAT.test(digits)) return Number(digits);
  if (NO_NUMBER.test(token)) return Number.NaN;
  throw new InvalidLine(`has the invalid value ${shown(token)}`);
};

/** NaN is the end of the text. */
const isEndOfLine = (code: number): boolean => code === LINE_FEED || code === RETURN || Number.isNaN(code);

/** Finds lines in the bytes of a body, which has the same line feeds as its text. */
class LineBytes {
  readonly #bytes: Uint8Array;
  #line = 0;
  /** Where `#line` begins. */
  #start = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Whether the lines from `first` to `last` are UTF-8. Each call continues after the lines of the previous one. */
  areUtf8(first: number, last: number): boolean {
    while (this.#line < first) this.#nextLine();
    const start = this.#start;
    while (this.#line <= last) this.#nextLine();
    return isUtf8(this.#bytes.subarray(start, this.#start));
  }

  #nextLine(): void {
    const end = this.#bytes.indexOf(LINE_FEED, this.#start);
    this.#start = end === -1 ? this.#bytes.length : end + 1;
    this.#line += 1;
  }
}

/** Reads the tokens of line protocol from a position that moves on. */
export class LineScanner {
  readonly #text: string;
  readonly #hasEscapes: boolean;
  readonly #lossyBytes: LineBytes | undefined;
  #at = 0;
  /** A space at `#at` or later, as last searched for. */
  #space = -1;
  #start = 0;
  #firstLine = 0;
  #line = 0;
  #lastTime = { text: '', number: Number.NaN };
  /** The value that was read last: its kind, and its cell or, for a text, the text. */
  kind: number = KIND.number;
  cell = Number.NaN;
  value = '';

  constructor(text: string, lossyBytes?: Uint8Array) {
    this.#text = text;
    this.#lossyBytes = lossyBytes && new LineBytes(lossyBytes);
    this.#hasEscapes = text.includes('\\');
  }

  /** The number of the line, from 0. */
  get line(): number {
    return this.#line;
  }

  /** Moves to the next line that is neither empty nor a comment. Returns false at the end. */
  skipToLine(): boolean {
    const text = this.#text;
    for (; this.#at < text.length; this.#at += 1) {
      const code = text.charCodeAt(this.#at);
      if (code === LINE_FEED) this.#line += 1;
      else if (code === HASH) this.#at = this.#endOfLine(this.#at) - 1;
      else if (code !== SPACE && code !== RETURN && code !== TAB) {
        this.#start = this.#at;
        this.#firstLine = this.#line;
        return true;
      }
    }
    return false;
  }

  /** Moves to the end of an invalid line. A text without its closing quote would reach to the end of the body. */
  skipLine(): void {
    this.#at = this.#endOfLine(this.#at === this.#text.length ? this.#start : this.#at);
  }

  /** Takes the measurement and the tags. @throws InvalidLine */
  takeSeries(): string {
    const end = this.#hasEscapes ? this.#find(SPACE) : this.#nextSpace();
    if (end === -1 || end > this.#endOfLine(this.#at)) throw new InvalidLine('has no fields');
    const series = this.#text.slice(this.#at, end);
    this.#at = end;
    this.#skipSpaces();
    return series;
  }

  /** Takes the name of a field with its `=`, if it is the expected one. */
  takeExpected(field: string): boolean {
    if (!this.#text.startsWith(field, this.#at)) return false;
    this.#at += field.length;
    return true;
  }

  /** Takes the name of a field with its `=`. @throws InvalidLine */
  takeField(): string {
    const end = this.#find(EQUALS);
    const field = end === -1 ? '' : this.#text.slice(this.#at, end + 1);
    if (field.length < 2 || /(?<!\\)[ ,]/.test(field))
      throw new InvalidLine(`has ${shown(this.#takeToken())} instead of a field key=value`);
    this.#at = end + 1;
    return field;
  }

  /** Takes the comma before another field, if there is one. */
  takeComma(): boolean {
    if (this.#text.charCodeAt(this.#at) !== COMMA) return false;
    this.#at += 1;
    return true;
  }

  /** Reads a value into `kind` and `cell`, or `value`. @throws InvalidLine */
  readValue(): void {
    const code = this.#text.charCodeAt(this.#at);
    this.kind = KIND.number;
    if ((code >= ZERO && code <= NINE) || code === MINUS) this.cell = this.#readNumber();
    else if (code === QUOTE) {
      this.kind = KIND.string;
      this.value = this.#readText();
    } else {
      const token = this.#takeToken();
      const truth = BOOLEANS.get(token);
      if (truth !== undefined) this.kind = KIND.boolean;
      this.cell = truth ?? readUnusualNumber(token);
    }
    const end = this.#text.charCodeAt(this.#at);
    if (end !== COMMA && end !== SPACE && !isEndOfLine(end))
      throw new InvalidLine(`has ${shown(this.#takeToken())} after a value`);
  }

  /** Reads the timestamp as a number; undefined: none. @throws InvalidLine */
  readTime(): number | undefined {
    this.#skipSpaces();
    const { text, number } = this.#lastTime;
    if (text !== '' && this.#text.startsWith(text, this.#at)) {
      if (isEndOfLine(this.#text.charCodeAt(this.#at + text.length))) {
        this.#at += text.length;
        return number;
      }
    }
    const rest = this.#text.slice(this.#at, this.#endOfLine(this.#at)).trim();
    if (rest === '') return undefined;
    if (!/^-?\d{1,20}$/.test(rest)) throw new InvalidLine(`has the invalid timestamp ${shown(rest)}`);
    this.#at += rest.length;
    this.#lastTime = { text: rest, number: Number(rest) };
    return this.#lastTime.number;
  }

  /** @throws InvalidLine if the bytes of the line, with those of its texts over several lines, are not UTF-8 */
  requireUtf8(): void {
    if (this.#lossyBytes?.areUtf8(this.#firstLine, this.#line) === false)
      throw new InvalidLine('is not UTF-8 text. Encode it as UTF-8');
  }

  #readNumber(): number {
    const text = this.#text;
    const isNegative = text.charCodeAt(this.#at) === MINUS;
    let at = isNegative ? this.#at + 1 : this.#at;
    let mantissa = 0;
    let digits = 0;
    let decimals = 0;
    let hasPoint = false;
    let code = text.charCodeAt(at);
    for (; (code >= ZERO && code <= NINE) || (code === DOT && !hasPoint); code = text.charCodeAt(at)) {
      at += 1;
      if (code === DOT) hasPoint = true;
      else {
        mantissa = mantissa * 10 + code - ZERO;
        digits += 1;
        if (hasPoint) decimals += 1;
      }
    }
    if (!hasPoint && (code === INTEGER || code === UNSIGNED)) code = text.charCodeAt((at += 1));
    const isEnd = code === COMMA || code === SPACE || isEndOfLine(code);
    if (digits === 0 || digits > EXACT_DIGITS || !isEnd) return readUnusualNumber(this.#takeToken());
    this.#at = at;
    const size = decimals === 0 ? mantissa : mantissa / POWERS[decimals]!;
    return isNegative ? -size : size;
  }

  #readText(): string {
    const start = this.#at + 1;
    let end = this.#text.indexOf('"', start);
    while (end !== -1 && isEscaped(this.#text, end)) end = this.#text.indexOf('"', end + 1);
    if (end === -1) {
      this.#at = this.#text.length;
      throw new InvalidLine('has a string without a closing quote');
    }
    this.#at = end + 1;
    const text = this.#text.slice(start, end);
    for (let feed = text.indexOf('\n'); feed !== -1; feed = text.indexOf('\n', feed + 1)) this.#line += 1;
    return text.replace(/\\(["\\])/g, '$1');
  }

  #skipSpaces(): void {
    while (this.#text.charCodeAt(this.#at) === SPACE) this.#at += 1;
  }

  #endOfLine(from: number): number {
    const end = this.#text.indexOf('\n', from);
    return end === -1 ? this.#text.length : end;
  }

  /** The next position of a space; −1: none. Found once for all lines before it, which may be many. */
  #nextSpace(): number {
    if (this.#space < this.#at) {
      const found = this.#text.indexOf(' ', this.#at);
      this.#space = found === -1 ? Infinity : found;
    }
    return this.#space === Infinity ? -1 : this.#space;
  }

  /** The next position of a character in this line that no backslash escapes; −1: none. */
  #find(code: number): number {
    for (let at = this.#at; at < this.#text.length; at += 1) {
      const here = this.#text.charCodeAt(at);
      if (here === LINE_FEED) return -1;
      if (here === code) return at;
      if (here === BACKSLASH && ', ='.includes(this.#text.charAt(at + 1))) at += 1;
    }
    return -1;
  }

  /** Takes everything up to a comma, a space or the end of the line. */
  #takeToken(): string {
    const start = this.#at;
    END_OF_TOKEN.lastIndex = start;
    this.#at = END_OF_TOKEN.exec(this.#text)?.index ?? this.#text.length;
    return this.#text.slice(start, this.#at);
  }
}

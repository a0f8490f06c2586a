const [COLON, QUOTE, BACKSLASH] = [0x3a, 0x22, 0x5c];

/** Larger messages are not searched. */
const MAX_LENGTH = 65_536;

/** The colons outside strings: the number of names in JSON text. */
const countColons = (text: string): number => {
  let count = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === BACKSLASH) index += 1;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === COLON) count += 1;
  }
  return count;
};

const countNames = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0;
  const inner: unknown[] = Object.values(value);
  return inner.reduce<number>((sum, each) => sum + countNames(each), Array.isArray(value) ? 0 : inner.length);
};

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:]/gs;

/**
 * A name that an object in JSON text has twice: the parsed value only has the last one. Undefined: there is none, or the
 * text is long. `value`: the parsed text.
 */
export const findRepeatedName = (text: string, value: unknown): string | undefined => {
  if (text.length > MAX_LENGTH || countColons(text) === countNames(value)) return undefined;
  const open: Set<string>[] = [];
  let last = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    else if (token === ':') {
      const name = JSON.parse(last) as string;
      if (open.at(-1)?.has(name) === true) return name;
      open.at(-1)?.add(name);
    } else last = token;
  }
  return undefined;
};

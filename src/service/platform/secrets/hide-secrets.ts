/** Parts of a secret with at least this length are hidden. Secrets below SHORTEST are too common to hide. */
const STRETCH = 8;
const SHORTEST = 4;
/** Parts of a header that are secrets themselves, for example in a cookie, have at least this length. */
const PART = 12;

const escapedForHtml = (text: string, escape: (code: number) => string): string =>
  text.replaceAll(/[&<>"'/`=]/g, (character) => escape(character.charCodeAt(0)));

const NAMED: Record<number, string> = { 0x22: '&quot;', 0x26: '&amp;', 0x3c: '&lt;', 0x3e: '&gt;' };

/** How a text can be encoded in a URL, in JSON or in HTML. */
const encodings: readonly ((text: string) => string)[] = [
  (text) => text,
  encodeURIComponent,
  (text) => encodeURIComponent(text).replaceAll('%20', '+'),
  (text) => JSON.stringify(text).slice(1, -1),
  (text) => escapedForHtml(text, (code) => NAMED[code] ?? String.fromCharCode(code)),
  (text) => escapedForHtml(text, (code) => NAMED[code] ?? `&#${code};`),
  (text) => escapedForHtml(text, (code) => `&#${code};`),
  (text) => escapedForHtml(text, (code) => `&#x${code.toString(16).toUpperCase()};`),
];

/** Base 64 of a text at any position in a longer text, without characters that depend on its neighbours. */
const inBase64 = (text: string): string[] =>
  [0, 1, 2].flatMap((shift) => {
    const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(text)]);
    const whole = bytes.toString('base64url');
    const own = whole.slice(shift === 0 ? 0 : shift + 1, bytes.length % 3 === 0 ? undefined : -1);
    return [own, own.replaceAll('-', '+').replaceAll('_', '/')];
  });

/** The scheme before the secret in a header (https://www.iana.org/assignments/http-authschemes), and InfluxDB's own. */
const SCHEME = /^(basic|bearer|digest|token) +/i;

/**
 * The secrets in an authentication header: the text after the scheme, its long parts, and the content of Basic (RFC
 * 7617).
 */
const secretsIn = (sent: string): string[] => {
  const whole = sent.replace(SCHEME, '');
  const parts = whole.split(/[\s;,="]+/).filter(({ length }) => length >= PART);
  if (!/^basic +/i.test(sent)) return [whole, ...parts];
  const pair = Buffer.from(whole, 'base64').toString();
  return [whole, ...parts, pair, pair.slice(pair.indexOf(':') + 1)];
};

/** All forms in which sent secrets may be returned. */
const formsOf = (sent: readonly (string | undefined)[]): Set<string> => {
  const forms = new Set<string>();
  for (const secret of sent.flatMap((each) => (each === undefined ? [] : secretsIn(each.toWellFormed()))))
    for (const text of [secret, Buffer.from(secret).toString('hex'), ...inBase64(secret)])
      for (const write of encodings) forms.add(write(text));
  return forms;
};

/**
 * Removes sent secrets from a response: plain, escaped or encoded, whole or in part.
 */
export const hideSecrets = (text: string, sent: readonly (string | undefined)[]): string => {
  // Escapes and hexadecimal digits can have both cases.
  const plain = text.toLowerCase();
  if (plain.length !== text.length) return hideSecrets(plain, sent);
  const places = new Map<string, number[]>();
  for (let at = 0; at + STRETCH <= plain.length; at += 1) {
    const stretch = plain.slice(at, at + STRETCH);
    const known = places.get(stretch);
    if (known === undefined) places.set(stretch, [at]);
    else known.push(at);
  }
  const isHidden = new Uint8Array(text.length);
  for (const each of formsOf(sent)) {
    const form = each.toLowerCase();
    for (let at = 0; at + STRETCH <= form.length; at += 1) {
      const stretch = form.slice(at, at + STRETCH);
      for (const place of places.get(stretch) ?? []) isHidden.fill(1, place, place + STRETCH);
      places.delete(stretch);
    }
    if (form.length < SHORTEST || form.length >= STRETCH) continue;
    for (let at = plain.indexOf(form); at !== -1; at = plain.indexOf(form, at + 1))
      isHidden.fill(1, at, at + form.length);
  }
  let shown = '';
  for (let at = 0; at < text.length; at += 1)
    if (isHidden[at] === 0) shown += text[at];
    else if (at === 0 || isHidden[at - 1] === 0) shown += '***';
  return shown;
};

/** Returns a function that tests whether bytes contain a whole sent secret in any of these forms. */
export const secretFinder = (sent: readonly string[]): ((bytes: Uint8Array) => boolean) => {
  const forms = [...formsOf(sent)].filter(({ length }) => length >= PART).map((form) => Buffer.from(form));
  return ({ buffer, byteOffset, byteLength }) => {
    const all = Buffer.from(buffer, byteOffset, byteLength);
    return forms.some((form) => all.includes(form));
  };
};

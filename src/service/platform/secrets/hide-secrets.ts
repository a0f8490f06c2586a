/** A stretch of a secret that is this long gives it away; what is shorter in the whole is a word like any other. */
const STRETCH = 8;
const SHORTEST = 4;
/** Parts of what is sent that are secret by themselves, as in a cookie. */
const PART = 12;

const escapedForHtml = (text: string, escape: (code: number) => string): string =>
  text.replaceAll(/[&<>"'/`=]/g, (character) => escape(character.charCodeAt(0)));

const NAMED: Record<number, string> = { 0x22: '&quot;', 0x26: '&amp;', 0x3c: '&lt;', 0x3e: '&gt;' };

/** Ways in which a text stands in an address, in JSON, or in HTML. */
const writings: readonly ((text: string) => string)[] = [
  (text) => text,
  encodeURIComponent,
  (text) => encodeURIComponent(text).replaceAll('%20', '+'),
  (text) => JSON.stringify(text).slice(1, -1),
  (text) => escapedForHtml(text, (code) => NAMED[code] ?? String.fromCharCode(code)),
  (text) => escapedForHtml(text, (code) => NAMED[code] ?? `&#${code};`),
  (text) => escapedForHtml(text, (code) => `&#${code};`),
  (text) => escapedForHtml(text, (code) => `&#x${code.toString(16).toUpperCase()};`),
];

/** Base 64 of a text, wherever in a longer one it stands: without the characters that its neighbours are part of. */
const inBase64 = (text: string): string[] =>
  [0, 1, 2].flatMap((shift) => {
    const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(text)]);
    const whole = bytes.toString('base64url');
    const own = whole.slice(shift === 0 ? 0 : shift + 1, bytes.length % 3 === 0 ? undefined : -1);
    return [own, own.replaceAll('-', '+').replaceAll('_', '/')];
  });

/** What stands before the secret in a header (https://www.iana.org/assignments/http-authschemes), and InfluxDB's own. */
const SCHEME = /^(basic|bearer|digest|token) +/i;

/** What is secret in a text that is sent to sign in: behind the scheme, its long parts, and what Basic holds (RFC 7617). */
const secretsIn = (sent: string): string[] => {
  const whole = sent.replace(SCHEME, '');
  const parts = whole.split(/[\s;,="]+/).filter(({ length }) => length >= PART);
  if (!/^basic +/i.test(sent)) return [whole, ...parts];
  const pair = Buffer.from(whole, 'base64').toString();
  return [whole, ...parts, pair, pair.slice(pair.indexOf(':') + 1)];
};

/** Each way in which what was sent may come back. */
const formsOf = (sent: readonly (string | undefined)[]): Set<string> => {
  const forms = new Set<string>();
  for (const secret of sent.flatMap((each) => (each === undefined ? [] : secretsIn(each.toWellFormed()))))
    for (const text of [secret, Buffer.from(secret).toString('hex'), ...inBase64(secret)])
      for (const write of writings) forms.add(write(text));
  return forms;
};

/**
 * A text of somebody else without what was sent to them in confidence and they may have repeated: plain, escaped or
 * encoded, whole or in part.
 */
export const hideSecrets = (text: string, sent: readonly (string | undefined)[]): string => {
  // Escapes and hexadecimal digits come in both cases.
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

/** Tells of bytes whether a secret that was sent comes back in them whole, in any of these ways. */
export const secretFinder = (sent: readonly string[]): ((bytes: Uint8Array) => boolean) => {
  const forms = [...formsOf(sent)].filter(({ length }) => length >= PART).map((form) => Buffer.from(form));
  return ({ buffer, byteOffset, byteLength }) => {
    const all = Buffer.from(buffer, byteOffset, byteLength);
    return forms.some((form) => all.includes(form));
  };
};

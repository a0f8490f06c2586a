import { expect, it } from 'vitest';
import { hideSecrets, secretFinder } from '#service/platform/secrets/hide-secrets.ts';

const SECRET = 'Kanari&en/Vogel+17"<x>';
const hidden = (text: string, sent = SECRET) => hideSecrets(`say ${text}, please`, [sent, undefined]);

it.each([
  ['plain', SECRET],
  ['in other cases', SECRET.toUpperCase()],
  ['in part', SECRET.slice(3, 14)],
  ['in an address', encodeURIComponent(SECRET)],
  ['in a form', new URLSearchParams({ a: SECRET }).toString().slice(2)],
  ['in JSON', JSON.stringify(SECRET).slice(1, -1)],
  [
    'in HTML',
    SECRET.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  ],
  ['in hexadecimal digits', Buffer.from(SECRET).toString('hex')],
])('a text is shown without a secret that stands there %s', (_, form) => {
  expect(hidden(form)).toBe('say ***, please');
});

it('nor in base 64, wherever it begins, nor what Basic or a cookie holds', () => {
  for (const before of ['', 'a', 'ab', 'me:', 'Bearer '])
    for (const encoding of ['base64', 'base64url'] as const)
      expect(hidden(Buffer.from(`${before}${SECRET}.`).toString(encoding))).toMatch(
        /^say \w{0,11}\*\*\*\S{0,4}, please$/,
      );
  const basic = `Basic ${Buffer.from(`me:${SECRET}`).toString('base64')}`;
  expect(hidden(SECRET, basic)).toBe('say ***, please');
  expect(hidden('session-of-the-plant', 'session=session-of-the-plant; theme=dark')).toBe('say ***, please');
  expect(hidden(basic, basic)).toBe('say Basic ***, please');
});

it('other text stays unchanged, however short the secret', () => {
  expect(hideSecrets('İstanbul: no such user', ['such', undefined, '', 'no'])).toBe('i̇stanbul: no *** user');
  for (const text of ['', 'x', 'no such database: plant', '🔥 großÜ'])
    expect(hideSecrets(text, [SECRET, 'abc', ''])).toBe(text);
});

it('bytes hold a secret where it is whole', () => {
  const holdsSecret = secretFinder([`Bearer ${SECRET}`, 'no']);
  const holds = (text: string) => holdsSecret(Buffer.from(text));
  for (const text of [
    SECRET,
    `{"a":${JSON.stringify(SECRET)}}`,
    Buffer.from(`x${SECRET}x`).toString('base64'),
  ])
    expect(holds(text)).toBe(true);
  for (const text of ['', 'no', 'Bearer', SECRET.slice(1)]) expect(holds(text)).toBe(false);
});

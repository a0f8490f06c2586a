import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createLog, withoutSecrets } from '#service/platform/log.ts';
import { mintToken } from '#service/access/token.ts';

test.each([
  [`Bearer ${mintToken('key').token}`, 'Bearer pen_key_***'],
  [`x ${mintToken('session').token}, ${mintToken('signin').token}`, 'x pen_session_***, pen_signin_***'],
  ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD', 'whsec_***'],
  ['postgres://penstock:hunter2@db:5432/penstock', 'postgres://penstock:***@db:5432/penstock'],
  [
    'https://user:a%40b@x.example/?q=1 and http://127.0.0.1:8080/a@b',
    'https://user:***@x.example/?q=1 and http://127.0.0.1:8080/a@b',
  ],
  ['mqtt://user:a:b@c@x.example', 'mqtt://user:***@x.example'],
  ['https://:alone@x.example', 'https://:***@x.example'],
  ['pen_ and pencil_key_1', 'pen_ and pencil_key_1'],
])('%s is written as %s', (text, written) => {
  expect(withoutSecrets(text)).toBe(written);
});

/** A text that is read again from each of its places would take minutes. */
const HANGS_MS = 5_000;

test.each([':', '://:', '://a:b', 'pen_key_', 'whsec_'])(
  '%s repeated a million times takes linear time',
  (text) => {
    const read = () => withoutSecrets(text.repeat(1_000_000));
    expect(() => runInNewContext('read()', { read }, { timeout: HANGS_MS })).not.toThrow();
  },
);

test('a log line is one JSON object, whatever it contains', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const { token } = mintToken('key');
  log.error({ err: new Error(`no such topic ${token}\n{"level":50}`) }, `a\r\nb ${token}"`);
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain(token);
  expect(lines[0]!.trimEnd()).not.toMatch(/[\r\n]/);
  expect(JSON.parse(lines[0]!)).toMatchObject({ msg: 'a\r\nb pen_key_***"' });
});

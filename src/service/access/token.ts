import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { tokenPattern, type TokenKind } from '#contract/sessions.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const base62 = (number: bigint, width: number): string => {
  let text = '';
  for (let rest = number; rest > 0n; rest /= 62n) text = ALPHABET.charAt(Number(rest % 62n)) + text;
  return text.padStart(width, '0');
};

const checksum = (random: string): string => base62(BigInt(crc32(random)), 6);

/** Creates a token of 256 random bits. It is shown once; only its digest is stored. */
export const mintToken = (kind: TokenKind): { token: string; digest: string } => {
  const random = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), 43);
  const token = `pen_${kind}_${random}${checksum(random)}`;
  return { token, digest: digestOf(token) };
};

/** The kind of a well-formed token; undefined if the text is not a token or was mistyped. */
export const kindOfToken = (token: string): TokenKind | undefined => {
  const [, kind, random, check] = tokenPattern.exec(token) ?? [];
  return random !== undefined && checksum(random) === check ? (kind as TokenKind) : undefined;
};

/** The stored digest of a token. 256 random bits need no salt and no slow hash. */
export const digestOf = (token: string): string => hash('sha256', token);

export const sameDigest = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
};

/** What the other side said, in one short line, without the secrets that it may have repeated. */
export const quoteAnswer = (said: string, secrets: readonly (string | undefined)[]): string => {
  const plain = secrets.reduce<string>(
    (text, secret) => (secret === undefined || secret === '' ? text : text.replaceAll(secret, '***')),
    said,
  );
  const line = plain
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .replace(/\.$/, '');
  return line.length > 300 ? `${line.slice(0, 300).toWellFormed()}…` : line;
};

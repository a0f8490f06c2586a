/** The path of the address that browsers use, without a slash at its end; '' at the root. */
export const basePathOf = (baseUrl: string | undefined): string =>
  baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/+$/, '');

/**
 * Takes the base path off the target of a request. A target without it stays as it is: a proxy may have taken it off.
 * Source: the origin and absolute forms of RFC 9112, 3.2.
 */
export const withoutBasePath = (basePath: string, target: string): string => {
  const [, origin = '', path = target] = /^(https?:\/\/[^/?#]*)(.*)$/i.exec(target) ?? [];
  if (!path.startsWith(basePath)) return target;
  const rest = path.slice(basePath.length);
  if (rest === '' || rest.startsWith('?')) return `${origin}/${rest}`;
  return rest.startsWith('/') ? `${origin}${rest}` : target;
};

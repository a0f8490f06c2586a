/** The path of BASE_URL without a trailing slash; '' at the root. */
export const basePathOf = (baseUrl: string | undefined): string =>
  baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/+$/, '');

/**
 * Removes the base path from a request target. A target without it is left alone: a proxy may have removed it.
 * Source: the origin and absolute forms of RFC 9112, 3.2.
 */
export const withoutBasePath = (basePath: string, target: string): string => {
  const [, origin = '', path = target] = /^(https?:\/\/[^/?#]*)(.*)$/i.exec(target) ?? [];
  if (!path.startsWith(basePath)) return target;
  const rest = path.slice(basePath.length);
  if (rest === '' || rest.startsWith('?')) return `${origin}/${rest}`;
  return rest.startsWith('/') ? `${origin}${rest}` : target;
};

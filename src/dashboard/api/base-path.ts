/** The path of BASE_URL, from a meta tag of the page; '' at the root of the origin. */
export const basePath: string =
  document.querySelector('meta[name="base-path"]')?.getAttribute('content') ?? '';

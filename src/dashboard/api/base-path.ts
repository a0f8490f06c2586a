/** The path below which the service serves this dashboard, as the page says; '' at the root of the origin. */
export const basePath: string =
  document.querySelector('meta[name="base-path"]')?.getAttribute('content') ?? '';

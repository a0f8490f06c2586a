/** True for an address to listen on that stands for all addresses of the machine. */
export const isWildcardHost = (host: string): boolean => host === '0.0.0.0' || host === '::';

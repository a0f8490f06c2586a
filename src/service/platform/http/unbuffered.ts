/** Headers that keep proxies from buffering or compressing a stream. */
export const UNBUFFERED = { 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' };

import type { FastifyCompressOptions } from '@fastify/compress';

/** How responses and request bodies are compressed. */
export const compression = {
  threshold: 1_024,
  encodings: ['gzip'],
  requestEncodings: ['gzip'],
  /** Larger responses are compressed by another thread. */
  syncThreshold: 65_536,
} satisfies FastifyCompressOptions;

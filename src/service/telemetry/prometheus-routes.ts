import type { FastifyRequest } from 'fastify';
import { TELEMETRY_LIMIT } from '#contract/endpoint.ts';
import { prometheusApi } from '#contract/prometheus.ts';
import { bytesOf } from '../platform/http/body.ts';
import { bodyTooLarge } from '../platform/http/body-limits.ts';
import { HttpProblem } from '../platform/http/http-problem.ts';
import { route, type Route } from '../platform/http/route.ts';
import { partialWrite } from './partial-write.ts';
import { uncompressedSize } from './write/snappy.ts';
import { readOrProblem, type StoreWrite } from './write/store-write.ts';

const MESSAGE = 'prometheus.WriteRequest';

/** Senders of Remote Write 2.0 send 1.0 after a 415. Without parameters, requests are 1.0 and compressed with Snappy. */
const requireRemoteWrite = ({ headers }: FastifyRequest): void => {
  const message = /;\s*proto\s*=\s*"?([^\s;"]*)/i.exec(headers['content-type'] ?? '')?.[1] ?? MESSAGE;
  if (message !== MESSAGE)
    throw new HttpProblem(
      'unsupported-media-type',
      `Penstock accepts Remote Write 1.0 (${MESSAGE}), not ${message}. Set protobuf_message to ${MESSAGE}.`,
    );
  const encoding = headers['content-encoding'] ?? 'snappy';
  if (encoding.toLowerCase() !== 'snappy')
    throw new HttpProblem(
      'unsupported-media-type',
      `The Content-Encoding ${encoding} is not supported. Use snappy.`,
    );
};

type Dependencies = {
  storeWrite: StoreWrite;
  config: { prometheusDeviceLabels: readonly string[] };
  countNoValues: (samples: number) => void;
};

export const prometheusRoutes = ({ storeWrite, config, countNoValues }: Dependencies): Route[] => [
  route(prometheusApi.write, async ({ query, actor, request }) => {
    requireRemoteWrite(request);
    const bytes = bytesOf(request);
    const uncompressedBytes = readOrProblem(() => uncompressedSize(bytes));
    if (uncompressedBytes > TELEMETRY_LIMIT) throw bodyTooLarge(TELEMETRY_LIMIT);
    const report = await storeWrite(
      {
        format: 'remote-write',
        deviceLabels: config.prometheusDeviceLabels,
        bytes,
        uncompressedBytes,
        times: { timeZone: 'UTC', allowOld: query.allowOld, unit: 'ms' },
      },
      actor,
      request,
    );
    countNoValues(report.noValues);
    if (report.rejected > 0) throw partialWrite(report, 'series');
    return undefined;
  }),
];

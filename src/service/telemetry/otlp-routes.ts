import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { otlpApi } from '#contract/otlp.ts';
import { bytesOf } from '../platform/http/body.ts';
import { route, type Route } from '../platform/http/route.ts';
import { describeRejected } from './partial-write.ts';
import type { StoreWrite } from './write/store-write.ts';

const PROTOBUF = 'application/x-protobuf';

type PartialSuccess = { rejectedDataPoints: string; errorMessage: string };

/** An `ExportMetricsServiceResponse` in protocol buffers. */
const encodeResponse = (partialSuccess: PartialSuccess | undefined): Uint8Array => {
  const writer = new BinaryWriter();
  if (partialSuccess === undefined) return writer.finish();
  writer.tag(1, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.Varint).int64(partialSuccess.rejectedDataPoints);
  writer.tag(2, WireType.LengthDelimited).string(partialSuccess.errorMessage);
  return writer.join().finish();
};

type Dependencies = {
  storeWrite: StoreWrite;
  config: { otlpDeviceAttributes: readonly string[] };
  countNoValues: (samples: number) => void;
};

export const otlpRoutes = ({ storeWrite, config, countNoValues }: Dependencies): Route[] => [
  route(otlpApi.write, async ({ query, actor, request, reply }) => {
    const isProtobuf = request.headers['content-type']?.toLowerCase().startsWith(PROTOBUF) === true;
    const report = await storeWrite(
      {
        format: 'otlp',
        encoding: isProtobuf ? 'protobuf' : 'json',
        deviceAttributes: config.otlpDeviceAttributes,
        bytes: bytesOf(request),
        times: { timeZone: 'UTC', allowOld: query.allowOld, unit: 'ns' },
      },
      actor,
      request,
    );
    countNoValues(report.noValues);
    const partialSuccess =
      report.rejected === 0
        ? undefined
        : { rejectedDataPoints: String(report.rejected), errorMessage: describeRejected(report, 'metric') };
    if (isProtobuf) return reply.type(PROTOBUF).send(encodeResponse(partialSuccess));
    return partialSuccess === undefined ? {} : { partialSuccess };
  }),
];

import { expect, it, onTestFinished } from 'vitest';
import { httpPipelinesOf } from './http-pipelines.ts';
import { startReceiver } from './receiver.ts';
import { startTestService } from './start-test-service.ts';

type OtlpSpan = {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  status: { code?: number; message?: string };
  attributes: { key: string; value: Record<string, unknown> }[];
};
type OtlpBody = { resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[] };

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';

/** A service that exports traces, and what its collector received by its end. */
const startTraced = async () => {
  const collector = await startReceiver();
  onTestFinished(() => collector.close());
  const { origin } = new URL(collector.url);
  const service = await startTestService({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: origin, ALLOWED_NETWORKS: '127.0.0.0/8' },
  });
  let isClosed = false;
  const close = async () => {
    if (!isClosed) await service.close();
    isClosed = true;
  };
  onTestFinished(close);
  return {
    service,
    collector,
    close,
    endedSpans: async (): Promise<OtlpSpan[]> => {
      await close();
      return collector.received.flatMap(({ text }) =>
        (JSON.parse(text) as OtlpBody).resourceSpans.flatMap(({ scopeSpans }) =>
          scopeSpans.flatMap(({ spans }) => spans),
        ),
      );
    },
  };
};

const attribute = ({ attributes }: OtlpSpan, name: string): unknown =>
  Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0];
const childrenOf = (spans: readonly OtlpSpan[], parent: OtlpSpan): string[] =>
  spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId).map(({ name }) => name);

it('a request continues the trace of its caller, with its statements and its write as children', async () => {
  const { service, endedSpans } = await startTraced();
  const { headers } = await service.request('POST', '/v1/telemetry', {
    body: { samples: [{ device: 'boiler', values: { temperature: 71.5 } }] },
    headers: { traceparent: `00-${TRACE}-${CALLER}-01` },
  });
  const spans = (await endedSpans()).filter(({ traceId }) => traceId === TRACE);
  const request = spans.find(({ parentSpanId }) => parentSpanId === CALLER)!;
  expect(request.name).toBe('POST /v1/telemetry');
  expect(attribute(request, 'http.response.status_code')).toBe(200);
  expect(attribute(request, 'penstock.request_id')).toBe(headers.get('x-request-id'));
  expect(childrenOf(spans, request)).toEqual(expect.arrayContaining(['select', 'insert', 'telemetry write']));
  // Parameters would contain the values of statements.
  expect(JSON.stringify(spans)).not.toContain('boiler');
});

it('a delivery is a trace, which its receiver can continue, and says why it failed', async () => {
  const { service, endedSpans } = await startTraced();
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  receiver.react = 503;
  const destination = { name: 'Hook', type: 'webhook', url: receiver.url };
  await service.request('POST', '/v1/destinations', { body: destination });
  const pipelines = httpPipelinesOf(() => service);
  const id = await pipelines.create({ interval: 1, destination: 'Hook' });
  await pipelines.send(id, { samples: [{ device: 'boiler', values: { temperature: 71.5 } }] });
  await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
  receiver.react = 204;
  await expect.poll(async () => (await pipelines.read(id)).ledger).toMatchObject({ delivered: 1 });
  const spans = await endedSpans();
  const batches = spans.filter(({ name }) => name === 'ingest messages');
  expect(batches.map((span) => attribute(span, 'penstock.messages'))).toEqual([1]);
  const calls = spans.filter(({ name, parentSpanId }) => name === 'POST' && parentSpanId !== undefined);
  const [failed] = calls;
  expect(failed).toMatchObject({ status: { code: 2 } });
  expect(attribute(failed!, 'http.response.status_code')).toBe(503);
  const deliveries = spans.filter(({ name }) => name === 'deliver samples');
  expect(deliveries[0]).not.toHaveProperty('parentSpanId');
  expect(attribute(deliveries[0]!, 'penstock.pipeline')).toBe(id);
  expect(failed!.parentSpanId).toBe(deliveries[0]!.spanId);
  expect(receiver.received[0]!.headers['traceparent']).toBe(`00-${failed!.traceId}-${failed!.spanId}-01`);
});

it('the service stops and answers without a collector', async () => {
  const { service, collector, close } = await startTraced();
  await collector.close();
  expect((await service.request('GET', '/v1/devices')).status).toBe(200);
  await close();
});

import { apiKeysApi } from './api-keys.ts';
import { capitalize } from './capitalize.ts';
import { destinationsApi } from './destinations.ts';
import { deviceMessagesApi } from './device-messages.ts';
import { devicesByExternalIdApi } from './devices-by-external-id.ts';
import { devicesApi } from './devices.ts';
import type { EndpointShape } from './endpoint.ts';
import { eventsApi } from './events.ts';
import { influxdbApi } from './influxdb.ts';
import { keyActivityApi } from './key-activity.ts';
import { messagesApi } from './messages.ts';
import { metricsApi } from './metrics.ts';
import { networksApi } from './networks.ts';
import { openapiApi } from './openapi.ts';
import { otlpApi } from './otlp.ts';
import { overviewApi } from './overview.ts';
import { overwritesApi } from './overwrites.ts';
import { pipelinesApi } from './pipelines.ts';
import { probesApi } from './probes.ts';
import { prometheusApi } from './prometheus.ts';
import { recentMessagesApi } from './recent-messages.ts';
import { rejectionsApi } from './rejections.ts';
import { sampleCountsApi } from './sample-counts.ts';
import { serviceApi } from './service.ts';
import { sessionsApi } from './sessions.ts';
import { sparklinesApi } from './sparklines.ts';
import { storageApi } from './storage.ts';
import { streamApi } from './stream.ts';
import { telemetryApi } from './telemetry.ts';
import { throughputApi } from './throughput.ts';
import { unroutedApi } from './unrouted.ts';
import { webhooksApi } from './webhooks.ts';

/** The parts of the API, by the prefix of their operation IDs. */
const apis: Record<string, Record<string, EndpointShape>> = {
  service: { ...serviceApi, ...openapiApi, ...probesApi },
  storage: storageApi,
  sessions: sessionsApi,
  overview: overviewApi,
  devices: { ...devicesApi, ...devicesByExternalIdApi },
  deviceMessages: deviceMessagesApi,
  telemetry: telemetryApi,
  sampleCounts: sampleCountsApi,
  sparklines: sparklinesApi,
  metrics: metricsApi,
  influxdb: influxdbApi,
  prometheus: prometheusApi,
  otlp: otlpApi,
  pipelines: pipelinesApi,
  messages: messagesApi,
  recentMessages: recentMessagesApi,
  rejections: rejectionsApi,
  unrouted: unroutedApi,
  overwrites: overwritesApi,
  throughput: throughputApi,
  destinations: destinationsApi,
  events: eventsApi,
  webhooks: webhooksApi,
  apiKeys: apiKeysApi,
  keyActivity: keyActivityApi,
  networks: networksApi,
  stream: streamApi,
};

/** Every endpoint by its operation ID, such as `devicesCreate`. */
export const operations: readonly (readonly [id: string, endpoint: EndpointShape])[] = Object.entries(
  apis,
).flatMap(([api, named]) =>
  Object.entries(named).map(([name, endpoint]) => [`${api}${capitalize(name)}`, endpoint] as const),
);

/** Every endpoint of the API. The document lists exactly these, and the service routes exactly these. */
export const endpoints: readonly EndpointShape[] = operations.map(([, endpoint]) => endpoint);

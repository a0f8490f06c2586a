import { apiKeysApi } from './api-keys.ts';
import { devicesApi } from './devices.ts';
import type { EndpointShape } from './endpoint.ts';
import { eventsApi } from './events.ts';
import { overviewApi } from './overview.ts';
import { messagesApi, pipelinesApi } from './pipelines.ts';
import { serviceApi } from './service.ts';
import { sessionsApi } from './sessions.ts';
import { streamApi } from './stream.ts';
import { telemetryApi } from './telemetry.ts';
import { webhooksApi } from './webhooks.ts';

/** Every endpoint of the API: what the document lists and what the service must route, no more and no less. */
export const endpoints: readonly EndpointShape[] = [
  serviceApi,
  sessionsApi,
  overviewApi,
  devicesApi,
  telemetryApi,
  pipelinesApi,
  messagesApi,
  eventsApi,
  webhooksApi,
  apiKeysApi,
  streamApi,
].flatMap((api) => Object.values<EndpointShape>(api));

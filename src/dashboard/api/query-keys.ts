/**
 * The first part of each query key. Events and mutations name stale queries by these names, so a name without a query
 * does not compile. `latestEvents` is refetched after each event; `eventLog` adds events itself.
 */
export const queryKeys = {
  session: ['session'],
  connection: ['connection'],
  storage: ['storage'],
  overview: ['overview'],
  devices: ['devices'],
  deviceMessages: ['device-messages'],
  telemetry: ['telemetry'],
  sparklines: ['sparklines'],
  pipelines: ['pipelines'],
  pipelineTypes: ['pipeline-types'],
  throughput: ['throughput'],
  overwrites: ['overwrites'],
  preview: ['preview'],
  lastMessage: ['last-message'],
  skippedMessage: ['skipped-message'],
  rejections: ['rejections'],
  replayPreview: ['replay-preview'],
  changePreview: ['change-preview'],
  unrouted: ['unrouted'],
  destinations: ['destinations'],
  destinationTypes: ['destination-types'],
  apiKeys: ['api-keys'],
  keyActivity: ['key-activity'],
  webhooks: ['webhooks'],
  networks: ['networks'],
  latestEvents: ['events'],
  eventLog: ['event-log'],
  openApi: ['openapi'],
} as const satisfies Record<string, readonly [string]>;

export type QueryKeyName = keyof typeof queryKeys;

/** All lists of a resource, with any filters and order. */
export const listsKey = <N extends QueryKeyName>(name: N) => [...queryKeys[name], 'list'] as const;

/** The numbers of items that match filters, where a list does not have its own. */
export const totalsKey = <N extends QueryKeyName>(name: N) => [...queryKeys[name], 'total'] as const;

/** One item of a resource. */
export const detailKey = <N extends QueryKeyName>(name: N, id: string) =>
  [...queryKeys[name], 'detail', id] as const;

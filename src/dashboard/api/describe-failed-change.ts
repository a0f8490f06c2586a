import { ApiError, describeError, hasCode } from './api-error.ts';

/** What did not happen, by the operation that failed. Forms: what was typed is still there. */
const forms: Record<string, string> = {
  'POST /v1/devices': 'The device was not registered.',
  'PATCH /v1/devices/{id}': 'The changes to the device were not saved.',
  'PATCH /v1/devices/{id}/metrics/{metric}': 'The changes to the metric were not saved.',
  'PATCH /v1/device-types/{deviceType}/metrics/{metric}': 'The changes to the metric were not saved.',
  'POST /v1/pipelines': 'The pipeline was not created.',
  'PATCH /v1/pipelines/{id}': 'The changes to the pipeline were not saved.',
  'POST /v1/pipelines/test': 'The pipeline was not tested.',
  'POST /v1/destinations': 'The destination was not created.',
  'PATCH /v1/destinations/{id}': 'The changes to the destination were not saved.',
  'POST /v1/webhooks': 'The webhook was not created.',
  'PATCH /v1/webhooks/{id}': 'The changes to the webhook were not saved.',
  'POST /v1/api-keys': 'The API key was not created.',
  'PATCH /v1/api-keys/{id}': 'The API key was not renamed.',
  'POST /v1/networks': 'The network was not allowed.',
  'PATCH /v1/session': 'The session name was not saved.',
};
const actions: Record<string, string> = {
  'DELETE /v1/devices/{id}': 'The device was not deleted.',
  'POST /v1/devices/{id}/restore': 'The device was not restored.',
  'POST /v1/devices/batch': 'The devices were not changed.',
  'DELETE /v1/telemetry': 'Not all telemetry was deleted.',
  'DELETE /v1/pipelines/{id}': 'The pipeline was not deleted.',
  'POST /v1/pipelines/{id}/rejections/replay': 'The rejections were not replayed.',
  'POST /v1/pipelines/{id}/rejections/preview': 'The replay was not previewed.',
  'POST /v1/pipelines/{id}/messages/preview': 'The change was not compared with recent messages.',
  'DELETE /v1/pipelines/{id}/rejections': 'The stored messages were not deleted.',
  'DELETE /v1/unrouted': 'The unrouted messages were not cleared.',
  'DELETE /v1/destinations/{id}': 'The destination was not deleted.',
  'POST /v1/destinations/{id}/test': 'The destination was not tested.',
  'DELETE /v1/webhooks/{id}': 'The webhook was not deleted.',
  'POST /v1/webhooks/{id}/test': 'The test event was not sent.',
  'POST /v1/webhooks/{id}/retry': 'The deliveries were not retried.',
  'POST /v1/webhooks/{id}/rotate': 'The secret was not rotated.',
  'DELETE /v1/networks/{id}': 'The network was not removed.',
  'DELETE /v1/api-keys/{id}': 'The API key was not revoked.',
  'POST /v1/api-keys/{id}/rotate': 'The API key was not rotated.',
  'POST /v1/storage/accept-loss': 'Penstock did not continue without the samples.',
};

/** Whether a failed operation has a sentence of its own. */
export const isDescribed = (operation: string): boolean => operation in forms || operation in actions;

/** What did not happen, why, and what to do, for notices that stand alone. */
export const describeFailedChange = (error: unknown): string => {
  const { detail } = describeError(error);
  if (!(error instanceof ApiError) || error.operation === null) return detail;
  const typed = forms[error.operation];
  const failed = typed ?? actions[error.operation];
  if (failed === undefined) return detail;
  if (!hasCode(error, 'offline')) return `${failed} ${detail}`;
  return typed === undefined
    ? `${failed} The service cannot be reached. Try again.`
    : `${failed} The service cannot be reached. Your input is kept.`;
};

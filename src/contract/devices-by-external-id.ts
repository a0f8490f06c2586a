import * as z from 'zod';
import { deviceSchema, deviceUpsertSchema, newExternalIdSchema } from './devices.ts';
import { endpoint } from './endpoint.ts';

const externalIdParams = z.object({
  externalId: newExternalIdSchema.describe('The external ID of the device.'),
});
const tag = 'Devices';

/** Apart from `devicesApi`, so that only pages that use it load it. */
export const devicesByExternalIdApi = {
  getByExternalId: endpoint({
    method: 'GET',
    path: '/v1/devices/by-external-id/{externalId}',
    scope: 'devices:read',
    params: externalIdParams,
    status: 200,
    response: deviceSchema,
    etag: true,
    doc: {
      tag,
      summary: 'Read a device by its external ID',
      description: 'Returns the device with its current state.',
    },
  }),
  put: endpoint({
    method: 'PUT',
    path: '/v1/devices/by-external-id/{externalId}',
    scope: 'devices:write',
    params: externalIdParams,
    body: deviceUpsertSchema,
    status: [200, 201],
    response: deviceSchema,
    ifMatch: true,
    etag: true,
    doc: {
      tag,
      summary: 'Register or update a device by its external ID',
      description: 'Idempotent. Restores a deleted device.',
    },
  }),
};
